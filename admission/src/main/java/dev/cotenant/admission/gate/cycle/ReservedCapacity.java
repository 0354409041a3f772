package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The use of a reservation by a gated pod, which may differ from the pod that the reservation was
 * made for.
 */
final class ReservedCapacity {
  /*
   * Idea: a reservation grants capacity on one GPU for one model. A pod that requests no more may still
   * interfere differently. So the pod itself is decided on, on that GPU, without the reservation, with its
   * own model and the reserved upper bounds. The result is written onto the pod and counts in this and in
   * later terms. A reserved whole GPU has no co-tenants.
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
   * The reservation as the pod's grant.
   *
   * @return null where the pod may not use its GPUs, requests more than is reserved, or breaks a
   *     limit there
   */
  @Nullable PodGrant taken(
      PodGrant reserved, Subject subject, PlacementRequest request, Instant now) {
    boolean eligible =
        term.cluster().node(reserved.node()).isPresent()
            && reserved.gpus().size() == subject.pod().gpu().gpus()
            && reserved.gpus().stream().allMatch(gpu -> suits(gpu, reserved, subject, request));
    if (!eligible) {
      return null;
    }
    return switch (reserved.extent()) {
      case WHOLE -> asGrant(reserved, reserved.admitted(), now);
      case SHARE ->
          request instanceof PlacementRequest.Share share
                  && decide(reserved, subject, share) instanceof Decision.Admitted admitted
                  && PodGrant.extent(admitted) == Extent.SHARE
              ? asGrant(reserved, admitted, now)
              : null;
    };
  }

  /** The grant, dated now. */
  private static PodGrant asGrant(PodGrant reserved, Decision.Admitted admitted, Instant now) {
    return new PodGrant(
        reserved.key(),
        reserved.pod(),
        admitted,
        reserved.extent(),
        reserved.extent() == Extent.SHARE
            ? PodGrant.slowdownLimit(admitted)
            : reserved.slowdownLimit(),
        reserved.extent() == Extent.SHARE ? PodGrant.risk(admitted) : reserved.risk(),
        now,
        new PodGrant.Allocated(null));
  }

  private boolean suits(String uuid, PodGrant reserved, Subject subject, PlacementRequest request) {
    @Nullable GpuSnapshot gpu = term.cluster().gpus().find(uuid).orElse(null);
    return gpu != null
        && mayUse(gpu, reserved, subject)
        && CandidateGpus.fitsAlone(gpu, subject, request);
  }

  private boolean mayUse(GpuSnapshot gpu, PodGrant reserved, Subject subject) {
    GpuAssignment gpuAssignment = GpuAssignment.of(deciding.policy(subject.pod()).gpuAssignment());
    @Nullable Predicate<GpuSnapshot> allowed =
        term.cluster()
            .unplaced(
                reserved.key(),
                () ->
                    eligibility
                        .excluded(
                            subject.needs(), new Eligibility.Way(gpuAssignment, reserved.extent()))
                        .filter());
    @Nullable Predicate<GpuSnapshot> claimed =
        term.ledger().claimable(subject.equivalence().claim());
    return (allowed == null || allowed.test(gpu))
        && (claimed == null || claimed.test(term.cluster().without(reserved.key(), gpu)));
  }

  /** Decides on the GPU without the reservation; null where the request exceeds it. */
  private @Nullable Decision decide(
      PodGrant reserved, Subject subject, PlacementRequest.Share share) {
    Grant grant = reserved.admitted().grants().getFirst();
    GpuSnapshot gpu = term.cluster().gpus().find(grant.gpuUuid()).orElseThrow();
    DeviceId device = gpu.device().id();
    @Nullable Prediction capacity = grant.prediction();
    @Nullable Prediction requested = share.predictions().get(device);
    if (capacity == null || requested == null || !covers(capacity, requested)) {
      return null;
    }
    return deciding.decideOn(
        term.cluster().without(reserved.key(), gpu),
        subject.pod(),
        share
            .withPredictions(Map.of(device, raised(requested, capacity)))
            .withLimits(
                share
                    .limits()
                    .withSlowdownAtMost(reserved.slowdownLimit())
                    .withProfileTime(Duration.ZERO)));
  }

  private static boolean covers(Prediction capacity, Prediction requested) {
    return requested.peakMemory().upper().isAtMost(capacity.peakMemory().upper())
        && requested.utilization().upper().compareTo(capacity.utilization().upper()) <= 0;
  }

  /** The pod's own prediction with the reserved upper bounds. */
  private static Prediction raised(Prediction requested, Prediction capacity) {
    UtilizationEstimate busy = requested.utilization();
    MemoryEstimate peak = requested.peakMemory();
    return requested
        .withUtilization(
            new UtilizationEstimate(
                busy.mean(), busy.lower(), capacity.utilization().upper(), busy.coverage()))
        .withPeakMemory(
            new MemoryEstimate(
                peak.mean(), peak.lower(), capacity.peakMemory().upper(), peak.coverage()));
  }
}
