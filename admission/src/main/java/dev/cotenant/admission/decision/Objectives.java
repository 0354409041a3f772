package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.placement.serving.ObjectivePredictions;
import dev.cotenant.placement.serving.ObjectivePredictions.Limiting;
import dev.cotenant.placement.serving.QueueEffort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The latency objectives of pods: what decisions make of them, and where they make nothing. */
public final class Objectives {
  private static final String NOT_ENFORCED = "slo-latency is not enforced: ";
  private static final String WITHOUT_QUEUEING =
      "slo-latency covers a batch without queueing until a request-rate is stated or measured";

  private Objectives() {}

  /**
   * Predictions with an answer about the pod's objective, if it has one. Pods of policies that
   * limit each pod to a share of the GPU are limited to what the objective needs. Empty where the
   * effort does not suffice.
   */
  static Optional<Map<DeviceId, Prediction>> answer(
      Map<DeviceId, Prediction> predictions, Colocatable pod, Policy policy, QueueEffort effort) {
    @Nullable Duration objective = pod.workload().sloLatency();
    if (objective == null) {
      return Optional.of(predictions);
    }
    return ObjectivePredictions.of(
        predictions,
        objective,
        device -> limiting(pod, policy.limits().on(device).slowdown(), policy),
        effort);
  }

  private static Limiting limiting(Colocatable pod, Slowdown limit, Policy policy) {
    if (policy.gpuAssignment() != Policy.GpuAssignment.VISIBLE_DEVICES) {
      return new Limiting.None();
    }
    @Nullable Slowdown tolerated = pod.workload().maxSlowdown();
    return new Limiting.ToShare(
        tolerated != null && tolerated.compareTo(limit) < 0 ? tolerated : limit);
  }

  /** What of a pod's objective and rate has no effect, and why; one line each. */
  public static List<String> withoutEffect(Colocatable pod) {
    WorkloadAnnotations workload = pod.workload();
    List<String> lines = new ArrayList<>();
    if (workload.sloLatency() == null) {
      return lines;
    }
    if (workload.workload().isEmpty()) {
      lines.add(NOT_ENFORCED + "no model is named");
    } else if (pod.gpu().gpus() > 1) {
      lines.add(NOT_ENFORCED + "step times on several GPUs are not predicted");
    } else if (workload.settings().load().equals(Load.UNSTATED)) {
      lines.add(WITHOUT_QUEUEING);
    }
    return lines;
  }

  /** As {@link #withoutEffect(Colocatable)}, for a known prediction. */
  public static List<String> withoutEffect(Colocatable pod, @Nullable Prediction prediction) {
    List<String> lines = withoutEffect(pod);
    if (prediction != null && prediction.settings().load() instanceof Load.RequestRate) {
      lines.remove(WITHOUT_QUEUEING); // the rate was measured
    }
    if (pod.workload().sloLatency() == null || !lines.isEmpty()) {
      return lines;
    }
    if (prediction == null) {
      lines.add(NOT_ENFORCED + "there is no prediction for the pod on this GPU");
    } else if (prediction.service() == null) {
      lines.add(NOT_ENFORCED + "there is no prediction of the step time");
    }
    return lines;
  }
}
