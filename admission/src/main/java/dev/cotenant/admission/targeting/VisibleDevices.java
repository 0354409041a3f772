package dev.cotenant.admission.targeting;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.prediction.Prediction;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * By environment variables that the mutating webhook has pointed at annotations: {@code
 * NVIDIA_VISIBLE_DEVICES} at {@code cotenant.dev/assigned-gpu}, {@code
 * CUDA_MPS_ACTIVE_THREAD_PERCENTAGE} at {@code cotenant.dev/mps-active-thread-percentage}.
 *
 * <p>The percentage is a cap, not a reservation, and one below what a workload needs throttles it
 * [k8s-device-plugin#1494]: it is the upper bound of predicted utilization rounded up to a whole
 * percent, never below ten, and 100 where nothing was predicted or the GPU is the pod's alone.
 */
final class VisibleDevices extends ByUuid {
  static final VisibleDevices INSTANCE = new VisibleDevices();

  /** Less starves even kernels that are mostly waiting. */
  private static final int LEAST_PERCENT = 10;

  private VisibleDevices() {}

  @Override
  public Map<String, String> annotations(Colocatable pod, Decision.Admitted granted) {
    return Map.of(
        CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE, Integer.toString(percent(granted)));
  }

  private static int percent(Decision.Admitted granted) {
    @Nullable Prediction prediction = granted.grants().getFirst().prediction();
    if (prediction == null || granted.evidence() instanceof Evidence.FreeGpus) {
      return 100;
    }
    int needed = (int) Math.ceil(prediction.utilization().upper().percent());
    return Math.clamp(needed, LEAST_PERCENT, 100);
  }

  @Override
  public List<String> warnings(Colocatable pod, Decision.Admitted granted) {
    return List.of(
        "visible-devices bypasses the device plugin's accounting: all users who can create pods can"
            + " reach every GPU of the node");
  }
}
