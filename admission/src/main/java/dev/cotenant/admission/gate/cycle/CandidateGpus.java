package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.decision.PodPlacement;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.Prediction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The GPUs that a pod could use, were they free. */
final class CandidateGpus {
  private final Deciding deciding;
  private final Eligibility eligibility;

  CandidateGpus(Deciding deciding, Eligibility eligibility) {
    this.deciding = deciding;
    this.eligibility = eligibility;
  }

  /** GPUs that would fit, were they free. */
  Predicate<GpuSnapshot> of(Subject subject, PlacementRequest request) {
    GpuAssignment gpuAssignment = GpuAssignment.of(deciding.policy(subject.pod()).gpuAssignment());
    boolean share = request instanceof PlacementRequest.Share;
    @Nullable Predicate<GpuSnapshot> allowed =
        eligibility
            .excludedWithoutGrants(
                subject.needs(),
                new Eligibility.Way(gpuAssignment, share ? Extent.SHARE : Extent.WHOLE))
            .filter();
    Predicate<GpuSnapshot> fits = gpu -> fitsAlone(gpu, subject, request);
    return allowed == null ? fits : allowed.and(fits);
  }

  /** Whether a GPU would fit, were it free. */
  static boolean fitsAlone(GpuSnapshot gpu, Subject subject, PlacementRequest request) {
    if (gpu.tenancy() instanceof Tenancy.Mig) {
      return false;
    }
    return switch (request) {
      case PlacementRequest.Share share -> {
        @Nullable Prediction prediction = share.predictions().get(gpu.device().id());
        SharingLimits limits = share.limits().on(gpu.device().id());
        yield prediction != null
            && prediction.peakMemory().upper().bytes()
                <= gpu.capacity().bytes() * (1 - limits.memoryHeadroomFraction())
            && prediction.utilization().upper().percent() <= limits.summedUtilization().percent();
      }
      case PlacementRequest.Whole _ ->
          subject
              .pod()
              .declaredMemory()
              .map(declared -> PodPlacement.isLargeEnough(gpu, declared))
              .orElse(true);
    };
  }
}
