package dev.cotenant.admission.assignment;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Share;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * By environment variables that the mutating webhook has pointed at annotations: {@code
 * NVIDIA_VISIBLE_DEVICES} at {@code cotenant.dev/assigned-gpu}, {@code
 * CUDA_MPS_ACTIVE_THREAD_PERCENTAGE} at {@code cotenant.dev/mps-active-thread-percentage}.
 *
 * <p>The percentage is a cap of SMs, not a reservation, and one below what a workload needs
 * throttles it [k8s-device-plugin#1494]: it is the share that the latency objective of a service
 * needs, see {@link dev.cotenant.placement.serving.ObjectivePredictions}, and 100 for all others.
 * Utilization is no share of SMs: a kernel that runs half of the time may need all of them.
 */
final class VisibleDevices extends ByUuid {
  static final VisibleDevices INSTANCE = new VisibleDevices();

  private VisibleDevices() {}

  @Override
  public Map<String, String> annotations(Colocatable pod, Decision.Admitted granted) {
    return Map.of(
        CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE,
        Integer.toString((int) Math.ceil(share(granted).percent())));
  }

  private static Share share(Decision.Admitted granted) {
    @Nullable Prediction prediction = granted.grants().getFirst().prediction();
    @Nullable ObjectivePrediction service = prediction == null ? null : prediction.service();
    return service == null || granted.evidence() instanceof Evidence.FreeGpus
        ? Share.WHOLE
        : service.share();
  }

  @Override
  public List<String> warnings(Colocatable pod, Decision.Admitted granted) {
    return List.of(
        "visible-devices bypasses the device plugin's accounting: every user with the right to"
            + " create pods can use every GPU of the node");
  }
}
