package dev.cotenant.admission.gate;

import dev.cotenant.admission.gate.Deciding.Subject;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.targeting.Targeting;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import java.time.Instant;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a held pod gets of the capacity that was reserved for it: nobody makes sure that its caller
 * reserved for the pod that it then made.
 */
final class ReservedCapacity {
  /*
   * Idea: a reservation is a promise of so much capacity on one GPU, made for one model. A pod that asks
   * for no more may still do other things to its neighbours. So the pod itself is decided on, on
   * that GPU, with the reservation taken out and with its own model, raised to what was reserved:
   * that is what is written onto it and what counts from then on, in this term and in later ones.
   * Who reserved a whole GPU has no neighbours.
   */
  private final Term term;
  private final Deciding deciding;
  private final Eligibility eligibility;

  ReservedCapacity(Term term, Deciding deciding, Eligibility eligibility) {
    this.term = term;
    this.deciding = deciding;
    this.eligibility = eligibility;
  }

  /**
   * The reserved capacity as the pod takes it now.
   *
   * @return null where the pod may not go there, asks for other GPUs or for more of one than is
   *     reserved, or would not be admitted there by every limit
   */
  @Nullable PodGrant taken(
      PodGrant reserved, Subject subject, PlacementRequest request, Instant now) {
    boolean eligible =
        term.inventory.node(reserved.node()).isPresent()
            && reserved.gpus().size() == subject.pod().gpu().gpus()
            && reserved.gpus().stream().allMatch(gpu -> suits(gpu, reserved, subject, request));
    if (!eligible) {
      return null;
    }
    return switch (reserved.extent()) {
      case WHOLE -> takenAs(reserved, reserved.admitted(), now);
      case SHARE ->
          request instanceof PlacementRequest.Share share
                  && decide(reserved, subject, share) instanceof Decision.Admitted admitted
                  && PodGrant.extent(admitted) == Extent.SHARE
              ? takenAs(reserved, admitted, now)
              : null;
    };
  }

  /** As if it were granted now, to the pod that took it. */
  private static PodGrant takenAs(PodGrant reserved, Decision.Admitted admitted, Instant now) {
    return new PodGrant(
        reserved.key(),
        reserved.pod(),
        admitted,
        reserved.extent(),
        reserved.extent() == Extent.SHARE ? PodGrant.promised(admitted) : reserved.promised(),
        now,
        new PodGrant.Held(null));
  }

  private boolean suits(String uuid, PodGrant reserved, Subject subject, PlacementRequest request) {
    @Nullable GpuSnapshot gpu = term.inventory.base().find(uuid).orElse(null);
    return gpu != null
        && mayUse(gpu, reserved, subject)
        && SchedulingCycle.fitsAlone(gpu, subject, request);
  }

  private boolean mayUse(GpuSnapshot gpu, PodGrant reserved, Subject subject) {
    Targeting targeting = Targeting.of(deciding.policy(subject.pod()).targeting());
    @Nullable Predicate<GpuSnapshot> allowed =
        eligibility
            .excluded(subject.nodes(), new Eligibility.Way(targeting, reserved.extent()))
            .filter();
    @Nullable Predicate<GpuSnapshot> claimed = term.claims.filter(subject.question().claim());
    return (allowed == null || allowed.test(gpu))
        && (claimed == null || claimed.test(term.occupancy.without(reserved.key(), gpu)));
  }

  /** On the GPU as others leave it; null where more is asked for than was reserved. */
  private @Nullable Decision decide(
      PodGrant reserved, Subject subject, PlacementRequest.Share share) {
    Grant grant = reserved.admitted().grants().getFirst();
    GpuSnapshot gpu = term.inventory.base().find(grant.gpuUuid()).orElseThrow();
    DeviceId device = gpu.device().id();
    @Nullable Prediction capacity = grant.prediction();
    @Nullable Prediction asked = share.predictions().get(device);
    if (capacity == null || asked == null || !covers(capacity, asked)) {
      return null;
    }
    return deciding.decideOn(
        term.occupancy.without(reserved.key(), gpu),
        term.inventory.base().takenAt(),
        subject.pod(),
        new PlacementRequest.Share(
            share.workload(),
            Map.of(device, raised(asked, capacity)),
            share.limits().withSlowdownAtMost(reserved.promised())));
  }

  private static boolean covers(Prediction capacity, Prediction asked) {
    return asked.peakMemory().upper().isAtMost(capacity.peakMemory().upper())
        && asked.utilization().upper().compareTo(capacity.utilization().upper()) <= 0;
  }

  /** The pod's own, but for its upper bounds: those are what was reserved. */
  private static Prediction raised(Prediction asked, Prediction capacity) {
    UtilizationEstimate busy = asked.utilization();
    MemoryEstimate peak = asked.peakMemory();
    return new Prediction(
        asked.device(),
        asked.batchSize(),
        asked.settings(),
        new UtilizationEstimate(
            busy.mean(), busy.lower(), capacity.utilization().upper(), busy.coverage()),
        new MemoryEstimate(
            peak.mean(), peak.lower(), capacity.peakMemory().upper(), peak.coverage()),
        asked.modelVersion(),
        asked.warnings(),
        asked.work(),
        asked.measured());
  }
}
