package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes placement requests of pods: fetches predictions, raises them to the declared memory, and
 * applies the slowdown limit of the pod.
 */
public final class PlacementRequests {
  private final WorkloadPredictor predictor;
  private final Policies policies;

  /** Within the same limits everywhere. */
  public PlacementRequests(WorkloadPredictor predictor, SharingLimits limits) {
    this(predictor, Policies.of(Policy.DEFAULT.withLimits(DeviceLimits.of(limits))));
  }

  /** Within the limits of each pod's policy. */
  public PlacementRequests(WorkloadPredictor predictor, Policies policies) {
    this.predictor = predictor;
    this.policies = policies;
  }

  /** A share where the model is registered and one GPU is requested; else whole GPUs. */
  public PlacementRequest about(Colocatable pod, ClusterSnapshot snapshot) {
    String name = pod.pod().toString();
    int gpus = pod.gpu().gpus();
    Optional<Map<DeviceId, Prediction>> predictions = predict(pod.workload(), snapshot.devices());
    if (gpus > 1) {
      return new PlacementRequest.Whole(
          name, gpus, new ExclusiveCause.SeveralGpus(), predictions.orElse(Map.of()));
    }
    if (predictions.isEmpty()) {
      return new PlacementRequest.Whole(
          name, gpus, new ExclusiveCause.ModelUnknown(pod.workload().model()), Map.of());
    }
    return new PlacementRequest.Share(
        name,
        pod.declaredMemory()
            .map(declared -> raised(predictions.get(), declared, snapshot))
            .orElse(predictions.get()),
        limitsFor(pod));
  }

  /** Whether the pod's model is registered. */
  boolean isModelKnown(Colocatable pod) {
    return predict(pod.workload(), Set.of()).isPresent();
  }

  private Optional<Map<DeviceId, Prediction>> predict(
      WorkloadAnnotations workload, Set<DeviceId> devices) {
    @Nullable String model = workload.model();
    if (model == null) {
      return Optional.empty();
    }
    RunSettings settings = RunSettings.of(workload.mode(), Precision.FP32);
    Workload requested = new Workload(model, workload.batchSize(), settings);
    return switch (predictor.predict(requested, devices)) {
      case WorkloadPredictor.Outcome.Predicted predicted -> Optional.of(predicted.byDevice());
      case WorkloadPredictor.Outcome.UnknownModel _ -> Optional.empty();
    };
  }

  private DeviceLimits limitsFor(Colocatable pod) {
    DeviceLimits limits = policies.of(pod.pod().namespace()).limits();
    @Nullable Slowdown tolerated = pod.workload().maxSlowdown();
    return tolerated == null ? limits : limits.withSlowdownAtMost(tolerated);
  }

  private static Map<DeviceId, Prediction> raised(
      Map<DeviceId, Prediction> predictions, DeclaredMemory declared, ClusterSnapshot snapshot) {
    Map<DeviceId, Prediction> raised = new HashMap<>();
    predictions.forEach((device, prediction) ->
        raised.put(device, raisedTo(declared.on(largest(snapshot.gpus(), device)), prediction)));
    return raised;
  }

  /** Capacity of the largest GPU of a product; usable memory differs a little between drivers. */
  private static MemorySize largest(List<GpuSnapshot> gpus, DeviceId device) {
    return gpus.stream()
        .filter(gpu -> gpu.device().id().equals(device))
        .map(GpuSnapshot::capacity)
        .reduce(MemorySize.ZERO, MemorySize::max);
  }

  private static Prediction raisedTo(MemorySize declared, Prediction prediction) {
    MemoryEstimate peak = prediction.peakMemory();
    if (declared.isAtMost(peak.upper())) {
      return prediction;
    }
    return prediction.withPeakMemory(
        new MemoryEstimate(declared, peak.lower(), declared, peak.coverage()));
  }
}
