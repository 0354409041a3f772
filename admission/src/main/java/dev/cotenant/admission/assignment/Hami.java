package dev.cotenant.admission.assignment;

import dev.cotenant.admission.pod.ComputeShare;
import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * By the annotation {@code nvidia.com/use-gpuuuid}, the list of eligible GPUs for HAMi's scheduler.
 * HAMi enforces the declared {@code gpumem} and {@code gpucores}, which are immutable; an Event
 * warns where they are below the prediction.
 */
final class Hami extends ByUuid {
  static final String USE_UUID = "nvidia.com/use-gpuuuid";
  static final Hami INSTANCE = new Hami();

  private Hami() {}

  @Override
  public Map<String, String> annotations(Colocatable pod, Decision.Admitted granted) {
    return Map.of(USE_UUID, uuids(granted));
  }

  @Override
  public List<String> warnings(Colocatable pod, Decision.Admitted granted) {
    List<String> warnings = new ArrayList<>();
    @Nullable Prediction prediction = granted.grants().getFirst().prediction();
    if (prediction == null) {
      return warnings;
    }
    @Nullable DeclaredMemory declared = pod.gpu().memory();
    MemorySize mean = prediction.peakMemory().mean();
    if (declared instanceof DeclaredMemory.Amount(MemorySize memory) && !mean.isAtMost(memory)) {
      warnings.add(
          "it declares " + memory + " of GPU memory, which HAMi enforces, and will need " + mean);
    }
    @Nullable ComputeShare compute = pod.gpu().compute();
    double busy = prediction.utilization().mean().percent();
    if (compute != null && compute.percent() < busy) {
      warnings.add(
          "it declares "
              + compute.percent()
              + " % of compute, which HAMi enforces, and would use "
              + prediction.utilization().mean());
    }
    return warnings;
  }
}
