package dev.cotenant.admission;

import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a pod asks for into the question that is decided on: predictions are fetched, memory
 * that the pod declares raises them, and what it tolerates tightens the limits.
 */
public final class PlacementQuestion {
  private final WorkloadPredictor predictor;
  private final SharingLimits limits;

  public PlacementQuestion(WorkloadPredictor predictor, SharingLimits limits) {
    this.predictor = predictor;
    this.limits = limits;
  }

  /** A share where the model is known and one GPU is asked for; else whole GPUs. */
  public PlacementRequest about(Colocatable pod, ClusterSnapshot snapshot) {
    String name = pod.pod().toString();
    int gpus = pod.gpu().gpus();
    Optional<Map<DeviceId, Prediction>> predictions = predict(pod.workload(), snapshot);
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
        limitsFor(pod.workload()));
  }

  private Optional<Map<DeviceId, Prediction>> predict(
      WorkloadAnnotations workload, ClusterSnapshot snapshot) {
    @Nullable String model = workload.model();
    if (model == null) {
      return Optional.empty();
    }
    RunSettings settings = new RunSettings(workload.mode(), Precision.FP32);
    Workload asked = new Workload(model, workload.batchSize(), settings);
    return switch (predictor.predict(asked, snapshot.devices())) {
      case WorkloadPredictor.Outcome.Predicted predicted -> Optional.of(predicted.byDevice());
      case WorkloadPredictor.Outcome.UnknownModel _ -> Optional.empty();
    };
  }

  private SharingLimits limitsFor(WorkloadAnnotations workload) {
    return workload.maxSlowdown() == null
        ? limits
        : limits.withSlowdownAtMost(workload.maxSlowdown());
  }

  private static Map<DeviceId, Prediction> raised(
      Map<DeviceId, Prediction> predictions, DeclaredMemory declared, ClusterSnapshot snapshot) {
    Map<DeviceId, Prediction> raised = new HashMap<>();
    predictions.forEach((device, prediction) ->
        raised.put(device, raisedTo(declared.on(largest(snapshot.gpus(), device)), prediction)));
    return raised;
  }

  /** Capacity of the largest GPU of a product; what is usable differs a little between drivers. */
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
