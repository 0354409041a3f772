package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a pod needs more memory than any GPU of the cluster has.
 *
 * <p>As for whole GPUs, the predicted mean counts, and GPUs that are requested together count
 * together. Limits and co-tenants do not count, since they may change.
 */
final class OversizedPod {
  private OversizedPod() {}

  /** The reason with the largest GPU; empty where the pod may fit. */
  static Optional<Reason> reason(
      Colocatable pod, PlacementRequest request, ClusterSnapshot cluster) {
    List<GpuSnapshot> gpus =
        cluster.gpus().stream().filter(gpu -> !(gpu.tenancy() instanceof Tenancy.Mig)).toList();
    if (gpus.isEmpty()) {
      return Optional.empty();
    }
    @Nullable DeclaredMemory declared = pod.declaredMemory().orElse(null);
    if (declared != null && gpus.stream().noneMatch(gpu -> holds(gpu, declared))) {
      String why = PodPlacement.tooLarge(declared, gpus.stream());
      return Optional.of(new Reason.NoCandidateGpu(gpus.size(), why));
    }
    Map<DeviceId, Prediction> predictions = request.predictions();
    int together = pod.gpu().gpus();
    return gpus.stream().allMatch(gpu -> isTooSmall(gpu, predictions, together))
        ? Optional.of(ofLargest(gpus, predictions, together))
        : Optional.empty();
  }

  private static boolean holds(GpuSnapshot gpu, DeclaredMemory declared) {
    return declared.on(gpu.capacity()).isAtMost(gpu.capacity());
  }

  private static boolean isTooSmall(
      GpuSnapshot gpu, Map<DeviceId, Prediction> predictions, int together) {
    @Nullable Prediction prediction = predictions.get(gpu.device().id());
    return prediction != null
        && !prediction.peakMemory().mean().isAtMost(gpu.capacity().times(together));
  }

  private static Reason ofLargest(
      List<GpuSnapshot> gpus, Map<DeviceId, Prediction> predictions, int together) {
    GpuSnapshot largest =
        gpus.stream()
            .max(
                Comparator.comparing(GpuSnapshot::capacity)
                    .thenComparing(
                        Comparator.comparing(GpuSnapshot::node)
                            .thenComparing(GpuSnapshot::uuid)
                            .reversed()))
            .orElseThrow();
    Prediction prediction = Objects.requireNonNull(predictions.get(largest.device().id()));
    MemorySize mean = prediction.peakMemory().mean();
    return new Reason.PredictedMemoryExceeded(
        largest.uuid(), largest.node(), mean, together, largest.capacity().times(together));
  }
}
