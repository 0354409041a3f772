package dev.cotenant.lab.pairs;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * The product's own decision. It sees a pod's prediction, and of a GPU in use a monitor's view:
 * memory and utilization of its long-running job, if measured. A pod without a prediction gets a
 * whole GPU, like an unknown model.
 */
final class Decided implements PairPolicy.Placing {
  private static final Instant NOW = Instant.EPOCH.plus(Duration.ofDays(1));
  private static final Instant LONG_AGO = Instant.EPOCH;
  private static final Duration WINDOW = Duration.ofMinutes(5);
  private static final String NODE = "node";
  private static final String FREE = "GPU-free";

  private final SharingDecider decider;
  private final Device device;
  private final SharingLimits limits;
  private final Function<ReplayedJob, Optional<Prediction>> predictor;
  private final Ranking ranking;

  Decided(SharingDecider decider, Knowledge knowledge) {
    this.decider = decider;
    this.device = knowledge.device();
    this.limits = knowledge.limits();
    this.predictor = knowledge.predictor();
    this.ranking = knowledge.ranking();
  }

  /** Which of the GPUs that it may share a pod gets. */
  enum Ranking {
    /** The fullest GPU afterwards, as in the product. */
    FULLEST,
    /** The GPU with the least predicted slowdown. */
    MIN_SLOWDOWN
  }

  /**
   * What it decides by.
   *
   * @param predictor of jobs; empty where a job's model is not known
   */
  record Knowledge(
      Device device,
      SharingLimits limits,
      Function<ReplayedJob, Optional<Prediction>> predictor,
      Ranking ranking) {
    /** The product's ranking. */
    Knowledge(
        Device device,
        SharingLimits limits,
        Function<ReplayedJob, Optional<Prediction>> predictor) {
      this(device, limits, predictor, Ranking.FULLEST);
    }
  }

  @Override
  public void place(ReplayedJob job, PairCluster cluster) {
    Map<String, PairCluster.Gpu> byUuid = new HashMap<>();
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (PairCluster.Gpu gpu : cluster.candidates(job)) {
      byUuid.put(gpu.uuid(), gpu);
      gpus.add(snapshot(gpu));
    }
    gpus = ranked(gpus, request(job));
    gpus.add(free());
    Decision decision = decider.decide(new ClusterSnapshot(NOW, gpus), request(job));
    if (!(decision instanceof Decision.Admitted admitted)
        || admitted.evidence() instanceof Evidence.FreeGpus) {
      cluster.openWhole(job); // where it is refused a share, it is as large as a GPU
      return;
    }
    PairCluster.Gpu chosen = byUuid.get(admitted.grants().getFirst().gpuUuid());
    cluster.joinOrOpen(Optional.ofNullable(chosen), job);
  }

  /** What the decision may choose among besides a free GPU. */
  private List<GpuSnapshot> ranked(List<GpuSnapshot> gpus, PlacementRequest request) {
    return switch (ranking) {
      case FULLEST -> gpus;
      case MIN_SLOWDOWN ->
          new ArrayList<>(
              gpus.stream()
                  .min(
                      Comparator.comparingDouble((GpuSnapshot gpu) -> slowdown(gpu, request))
                          .thenComparing(GpuSnapshot::uuid))
                  .stream()
                  .toList());
    };
  }

  /** What is predicted there; infinite where the pod may not share it. */
  private double slowdown(GpuSnapshot gpu, PlacementRequest request) {
    return decider.decide(new ClusterSnapshot(NOW, List.of(gpu)), request)
                instanceof Decision.Admitted(var _, var evidence)
            && evidence instanceof Evidence.WithinLimits within
        ? within.slowdown().ratio()
        : Double.POSITIVE_INFINITY;
  }

  private PlacementRequest request(ReplayedJob job) {
    Optional<Prediction> prediction = predictor.apply(job);
    return prediction.isPresent()
        ? new PlacementRequest.Share(job.name(), Map.of(device.id(), prediction.get()), limits)
        : new PlacementRequest.Whole(
            job.name(), 1, new ExclusiveCause.ModelUnknown(job.name()), Map.of());
  }

  private GpuSnapshot free() {
    return new GpuSnapshot(
        FREE,
        NODE,
        device,
        device.memory(),
        new Tenancy.Shared(List.of()),
        observation(MemorySize.ZERO));
  }

  private GpuSnapshot snapshot(PairCluster.Gpu gpu) {
    ReplayedJob job = gpu.first();
    Prediction prediction = predictor.apply(job).orElseThrow();
    Tenant tenant =
        new Tenant(
            job.name(),
            prediction.utilization(),
            prediction.peakMemory(),
            limits.slowdown(),
            LONG_AGO,
            prediction.run().orElse(null));
    MemorySize used = Objects.requireNonNullElse(job.memory(), prediction.peakMemory().mean());
    return new GpuSnapshot(
        gpu.uuid(),
        NODE,
        device,
        device.memory(),
        new Tenancy.Shared(List.of(tenant)),
        observation(used.min(device.memory())),
        job.utilization());
  }

  private static MemoryObservation observation(MemorySize used) {
    return new MemoryObservation.Measured(used, used, Duration.ZERO, WINDOW, List.of());
  }
}
