package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.placement.serving.QueueEffort;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes placement requests of pods: fetches predictions, answers their latency objective, raises
 * them to the declared memory, and applies the slowdown limit of the pod.
 */
public final class PlacementRequests {
  private final WorkloadPredictor predictor;
  private final Policies policies;

  /** Within the limits of each pod's policy. */
  public PlacementRequests(WorkloadPredictor predictor, Policies policies) {
    this.predictor = predictor;
    this.policies = policies;
  }

  /** A share where the model is registered and one GPU is requested; else whole GPUs. */
  public PlacementRequest about(Colocatable pod, ClusterSnapshot snapshot) {
    return about(pod, snapshot, QueueEffort.unlimited()).orElseThrow();
  }

  /**
   * As above with an effort limit for the latency objective; empty if the limit is exceeded, a
   * later call continues.
   */
  public Optional<PlacementRequest> about(
      Colocatable pod, ClusterSnapshot snapshot, QueueEffort effort) {
    return about(
        pod,
        snapshot,
        staying ->
            Objectives.answer(staying, pod, policy(pod), effort)
                .map(answered ->
                    advised(answered, pod, snapshot, effort.advice()).orElse(answered)));
  }

  /**
   * Request of a running pod without a share limit: predictions for the whole GPU, without advice
   * on the batch.
   */
  public Optional<PlacementRequest> aboutRunning(
      Colocatable pod, ClusterSnapshot snapshot, QueueEffort effort) {
    Policy unlimited =
        policy(pod).with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY);
    return about(pod, snapshot, staying -> Objectives.answer(staying, pod, unlimited, effort));
  }

  /**
   * A request.
   *
   * @param answering answers the objective; empty where the effort does not suffice
   */
  private Optional<PlacementRequest> about(
      Colocatable pod,
      ClusterSnapshot snapshot,
      Function<Map<DeviceId, Prediction>, Optional<Map<DeviceId, Prediction>>> answering) {
    String name = pod.pod().toString();
    int gpus = pod.gpu().gpus();
    DeviceLimits limits = limitsFor(pod);
    Known known = predict(pod, snapshot.devices(), limits);
    if (gpus > 1) {
      return Optional.of(
          new PlacementRequest.Whole(
              name, gpus, new ExclusiveCause.SeveralGpus(), known.predictions()));
    }
    ExclusiveCause.ModelUnknown unknown = known.unknown();
    if (unknown != null) {
      return Optional.of(new PlacementRequest.Whole(name, gpus, unknown, Map.of()));
    }
    return answering
        .apply(staying(known.predictions(), pod.workload().stay()))
        .map(answered ->
            new PlacementRequest.Share(
                name,
                raised(answered, pod, snapshot),
                limits,
                policies.trustDomain(pod.pod().namespace())));
  }

  /**
   * Predictions at a smaller batch that meets the objective, on devices that have one, where no
   * device meets it at the pod's batch. Empty where the effort does not suffice.
   */
  private Optional<Map<DeviceId, Prediction>> advised(
      Map<DeviceId, Prediction> answered,
      Colocatable pod,
      ClusterSnapshot snapshot,
      QueueEffort effort) {
    if (answered.isEmpty() || !answered.values().stream().allMatch(Prediction::missesObjective)) {
      return Optional.of(answered);
    }
    DeviceLimits limits = limitsFor(pod);
    return FittingBatches.of(
            batch -> {
              Colocatable other = pod.withBatch(batch);
              Map<DeviceId, Prediction> predicted =
                  predict(other, answered.keySet(), limits).predictions();
              return Objectives.answer(predicted, other, policy(pod), effort);
            },
            prediction -> fits(prediction, snapshot, limits))
        .map(best -> FittingBatches.advised(answered, best));
  }

  private static boolean fits(
      Prediction prediction, ClusterSnapshot snapshot, DeviceLimits limits) {
    DeviceId device = prediction.device();
    MemorySize usable =
        largest(snapshot.gpus(), device).times(1 - limits.on(device).memoryHeadroomFraction());
    return prediction.peakMemory().upper().isAtMost(usable);
  }

  /**
   * Predictions of a pod by product, with bounds at the product's level and at least this one;
   * empty for an unknown model, and for pods with several GPUs if the prediction is for all GPUs
   * together. Latency objectives are answered by the share of the GPU that they need.
   */
  public Map<DeviceId, Prediction> bounded(Colocatable pod, Set<DeviceId> devices, Coverage least) {
    @Nullable Workload workload = pod.workload().workload().orElse(null);
    if (workload == null) {
      return Map.of();
    }
    Map<DeviceId, Prediction> all = new HashMap<>();
    SortedMap<Coverage, Set<DeviceId>> levels =
        limitsFor(pod).byLevel(devices, SharingLimits::memoryLevel);
    for (Map.Entry<Coverage, Set<DeviceId>> level : levels.entrySet()) {
      Coverage required = level.getKey().compareTo(least) < 0 ? least : level.getKey();
      all.putAll(
          predict(pod.pod().namespace(), workload, level.getValue(), required).predictions());
    }
    if (pod.gpu().gpus() > 1) {
      all.values().removeIf(prediction -> prediction.engine() == null);
      return all;
    }
    Policy inShares =
        policy(pod).with(copy -> copy.gpuAssignment = Policy.GpuAssignment.VISIBLE_DEVICES);
    return Objectives.answer(all, pod, inShares, QueueEffort.unlimited()).orElse(all);
  }

  /** Levels of the memory bounds by product, at least the given one. */
  Function<DeviceId, Coverage> levels(Colocatable pod, Coverage least) {
    DeviceLimits limits = limitsFor(pod);
    return device -> {
      Coverage own = limits.on(device).memoryLevel();
      return own.compareTo(least) < 0 ? least : own;
    };
  }

  /** Predictions by device, or why there are none. */
  private record Known(
      Map<DeviceId, Prediction> predictions, ExclusiveCause.@Nullable ModelUnknown unknown) {}

  /** What is predicted of the pod's language model, without declared memory and objective. */
  List<Prediction> ofEngine(Colocatable pod, ClusterSnapshot snapshot) {
    return predict(pod, snapshot.devices(), limitsFor(pod)).predictions().values().stream()
        .filter(prediction -> prediction.engine() != null)
        .toList();
  }

  /** Why nothing is predicted of the pod's model; null where something is. */
  ExclusiveCause.@Nullable ModelUnknown whyUnknown(Colocatable pod) {
    return predict(pod, Set.of(), DeviceLimits.of(limitsFor(pod).standard())).unknown();
  }

  /** Each product at the level that its limits require. */
  private Known predict(Colocatable pod, Set<DeviceId> devices, DeviceLimits limits) {
    @Nullable Workload workload = pod.workload().workload().orElse(null);
    String namespace = pod.pod().namespace();
    if (workload == null) {
      return new Known(Map.of(), new ExclusiveCause.ModelUnknown(null));
    }
    Known known = predict(namespace, workload, limits.byLevel(devices), devices);
    if (known.unknown() != null) {
      return known;
    }
    Map<DeviceId, Prediction> all = new HashMap<>(known.predictions());
    LimitedWorkload limited = new LimitedWorkload(namespace, workload, limits);
    replace(all, limited, SharingLimits::memoryLevel, PlacementRequests::withMemoryOf);
    if (pod.workload().sloLatency() != null) {
      replace(all, limited, SharingLimits::objectiveLevel, PlacementRequests::withTimesOf);
    }
    return new Known(all, null);
  }

  private Known predict(
      String namespace,
      Workload workload,
      SortedMap<Coverage, Set<DeviceId>> levels,
      Set<DeviceId> devices) {
    if (levels.size() <= 1) {
      return predict(
          namespace, workload, devices, levels.isEmpty() ? Coverage.STANDARD : levels.firstKey());
    }
    Map<DeviceId, Prediction> predictions = new HashMap<>();
    for (Map.Entry<Coverage, Set<DeviceId>> level : levels.entrySet()) {
      Known some = predict(namespace, workload, level.getValue(), level.getKey());
      if (some.unknown() != null) {
        return some;
      }
      predictions.putAll(some.predictions());
    }
    return new Known(predictions, null);
  }

  /** A namespace's workload with its limits. */
  private record LimitedWorkload(String namespace, Workload workload, DeviceLimits limits) {}

  /** Replaces bounds by bounds at their own budget's level, on products where the level differs. */
  private void replace(
      Map<DeviceId, Prediction> predictions,
      LimitedWorkload limited,
      Function<SharingLimits, Coverage> level,
      BinaryOperator<Prediction> taking) {
    Set<DeviceId> others = new TreeSet<>(predictions.keySet());
    others.removeIf(device -> {
      SharingLimits limits = limited.limits().on(device);
      return level.apply(limits).equals(limits.level());
    });
    for (Map.Entry<Coverage, Set<DeviceId>> one :
        limited.limits().byLevel(others, level).entrySet()) {
      predict(limited.namespace(), limited.workload(), one.getValue(), one.getKey())
          .predictions()
          .forEach((device, bounded) -> predictions.merge(device, bounded, taking));
    }
  }

  private static Prediction withMemoryOf(Prediction prediction, Prediction bounded) {
    @Nullable EngineMemory engine = bounded.engine();
    Prediction other = prediction.withPeakMemory(bounded.peakMemory());
    return engine == null ? other : other.withEngine(engine);
  }

  private static Prediction withTimesOf(Prediction prediction, Prediction bounded) {
    @Nullable StepTimeEstimate step = bounded.stepTime();
    @Nullable StepTimeEstimate busy = bounded.busyTime();
    @Nullable ShareCurve shares = bounded.shares();
    Prediction other = prediction.withPartition(bounded.partition());
    other = step == null ? other : other.withStepTime(step);
    other = busy == null ? other : other.withBusyTime(busy);
    return shares == null ? other : other.withShares(shares);
  }

  private Known predict(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    return switch (predictor.predictIn(namespace, workload, devices, level)) {
      case WorkloadPredictor.Outcome.Predicted predicted -> new Known(predicted.byDevice(), null);
      case WorkloadPredictor.Outcome.UnknownModel(String model, String why, boolean isPending) ->
          new Known(Map.of(), new ExclusiveCause.ModelUnknown(model, why, isPending));
    };
  }

  private Policy policy(Colocatable pod) {
    return policies.of(pod.pod().namespace());
  }

  private DeviceLimits limitsFor(Colocatable pod) {
    return pod.workload().within(policy(pod).limits());
  }

  /** The pod's stated lifetime takes precedence over observed lifetimes. */
  private static Map<DeviceId, Prediction> staying(
      Map<DeviceId, Prediction> predictions, @Nullable Duration stated) {
    if (stated == null) {
      return predictions;
    }
    Map<DeviceId, Prediction> staying = new HashMap<>(predictions);
    staying.replaceAll((_, prediction) -> prediction.withLifetime(stated));
    return staying;
  }

  /** Predictions with at least the pod's declared memory. */
  public static Map<DeviceId, Prediction> raised(
      Map<DeviceId, Prediction> predictions, Colocatable pod, ClusterSnapshot snapshot) {
    @Nullable DeclaredMemory declared = pod.declaredMemory().orElse(null);
    if (declared == null) {
      return predictions;
    }
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
