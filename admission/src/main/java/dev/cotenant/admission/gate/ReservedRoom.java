package dev.cotenant.admission.gate;

import dev.cotenant.admission.gate.Deciding.Subject;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.targeting.Targeting;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether room that was reserved for a held pod is enough for what the pod asks for itself: nobody
 * makes sure that its caller reserved for the pod that it then made.
 */
final class ReservedRoom {
  private final Term term;
  private final Deciding deciding;
  private final Eligibility eligibility;

  ReservedRoom(Term term, Deciding deciding, Eligibility eligibility) {
    this.term = term;
    this.deciding = deciding;
    this.eligibility = eligibility;
  }

  /**
   * Whether the pod may go there, and asks for as many GPUs and for no more of one than is
   * reserved: of a share no upper bound may be greater, and the slowdown that was promised to it
   * must be one that the pod tolerates.
   */
  boolean isEnough(PodGrant reserved, Subject subject, PlacementRequest request) {
    return term.inventory.node(reserved.node()).isPresent()
        && reserved.gpus().size() == subject.pod().gpu().gpus()
        && reserved.admitted().grants().stream()
            .allMatch(grant -> isEnough(grant, reserved, subject, request));
  }

  private boolean isEnough(
      Grant grant, PodGrant reserved, Subject subject, PlacementRequest request) {
    @Nullable GpuSnapshot gpu = term.inventory.base().find(grant.gpuUuid()).orElse(null);
    return gpu != null
        && mayUse(gpu, reserved, subject)
        && Pass.fitsAlone(gpu, subject, request)
        && (reserved.extent() == Extent.WHOLE || isCovered(grant, reserved, request, gpu));
  }

  private boolean mayUse(GpuSnapshot gpu, PodGrant reserved, Subject subject) {
    Targeting targeting = Targeting.of(deciding.policy(subject.pod()).targeting());
    @Nullable Predicate<GpuSnapshot> allowed =
        eligibility
            .excluded(subject.nodes(), new Eligibility.Way(targeting, reserved.extent()))
            .filter();
    @Nullable Predicate<GpuSnapshot> claimed = term.claims.filter(subject.question().claim());
    boolean alone =
        term.occupancy.on(gpu.uuid()).stream()
            .allMatch(occupant -> occupant.key().equals(reserved.key()));
    GpuSnapshot others =
        alone
            ? gpu
            : term.occupancy.snapshot().find(gpu.uuid()).orElse(gpu); // a claim is not shared
    return (allowed == null || allowed.test(gpu)) && (claimed == null || claimed.test(others));
  }

  private static boolean isCovered(
      Grant grant, PodGrant reserved, PlacementRequest request, GpuSnapshot gpu) {
    DeviceId device = gpu.device().id();
    @Nullable Prediction room = grant.prediction();
    if (!(request instanceof PlacementRequest.Share share) || room == null) {
      return false;
    }
    @Nullable Prediction asked = share.predictions().get(device);
    return asked != null
        && asked.peakMemory().upper().isAtMost(room.peakMemory().upper())
        && asked.utilization().upper().compareTo(room.utilization().upper()) <= 0
        && reserved.promised().compareTo(share.limits().on(device).slowdown()) <= 0;
  }
}
