package dev.cotenant.simulator.policy;

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
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.QueueRule;
import dev.cotenant.simulator.world.View;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The product's own decision on a snapshot that follows the cluster. It sees the predictions that
 * came with the jobs and the used memory of GPUs; a job without a prediction, or with one whose
 * bounds the limits do not trust, gets a whole GPU. So does a job that no GPU can ever take within
 * the limits, at once: the default policy's fallback does the same after {@code max-wait}.
 */
final class Decided implements Policy {
  private static final Duration WINDOW = Duration.ofMinutes(5);

  /** The default of {@code cotenant.policy.max-skips}. */
  private static final int MAX_SKIPS = 20;

  private static final QueueRule QUEUE = new QueueRule(QueueRule.Order.FIFO, null, MAX_SKIPS);

  private final SharingDecider decider;
  private final SharingLimits limits;
  private final Map<String, GpuView> byUuid = new TreeMap<>();
  private final Map<String, GpuView> changed = new TreeMap<>();
  private @Nullable ClusterSnapshot snapshot;

  Decided(SharingDecider decider, SharingLimits limits) {
    this.decider = decider;
    this.limits = limits;
  }

  @Override
  public QueueRule queue() {
    return QUEUE;
  }

  @Override
  public Placement place(JobView job, View view) {
    PlacementRequest request = request(job);
    Decision decision = decide(job, request, view);
    if (decision instanceof Decision.Denied
        && request instanceof PlacementRequest.Share(var name, var predictions, _, _)) {
      decision =
          decide(job, alone(name, "no share of a GPU is within the limits", predictions), view);
    }
    if (!(decision instanceof Decision.Admitted(var grants, var evidence))) {
      return Placement.waiting();
    }
    GpuView gpu = view.gpus().get(index(grants.getFirst().gpuUuid()));
    return evidence instanceof Evidence.FreeGpus ? Placement.alone(gpu) : Placement.on(gpu);
  }

  private Decision decide(JobView job, PlacementRequest request, View view) {
    return decider.decide(
        snapshot(view), request, gpu -> view.mayJoin(job, view.gpus().get(index(gpu.uuid()))));
  }

  private static PlacementRequest alone(
      String name, String because, Map<DeviceId, Prediction> predictions) {
    return new PlacementRequest.Whole(
        name, 1, new ExclusiveCause.NotShareable(because), predictions);
  }

  private int index(String uuid) {
    GpuView gpu = byUuid.get(uuid);
    if (gpu == null) {
      throw new IllegalStateException("decided on an unknown GPU " + uuid);
    }
    return gpu.index();
  }

  private ClusterSnapshot snapshot(View view) {
    ClusterSnapshot current = snapshot;
    if (current == null) {
      List<GpuSnapshot> gpus = new ArrayList<>();
      byUuid.values().forEach(gpu -> gpus.add(snapshot(gpu)));
      current = new ClusterSnapshot(at(view.now()), gpus);
    } else {
      current = current.with(changed.values().stream().map(this::snapshot).toList());
    }
    changed.clear();
    snapshot = current;
    return current;
  }

  @Override
  public void changed(GpuView gpu) {
    byUuid.put(gpu.uuid(), gpu);
    changed.put(gpu.uuid(), gpu);
  }

  private PlacementRequest request(JobView job) {
    Map<DeviceId, Prediction> predictions = job.submission().predictions();
    String name = job.submission().name();
    if (predictions.isEmpty()) {
      return new PlacementRequest.Whole(
          name, 1, new ExclusiveCause.ModelUnknown(job.submission().configuration()), Map.of());
    }
    return job.outOfMemoryKills() == 0
        ? new PlacementRequest.Share(name, predictions, limits)
        : alone(name, "it ran out of memory", predictions);
  }

  private GpuSnapshot snapshot(GpuView gpu) {
    return new GpuSnapshot(
        gpu.uuid(),
        gpu.node(),
        gpu.kind().device(),
        gpu.kind().capacity(),
        tenancy(gpu),
        new MemoryObservation.Measured(
            gpu.usedMemory(), gpu.usedMemory(), Duration.ZERO, WINDOW, List.of()));
  }

  private Tenancy tenancy(GpuView gpu) {
    if (!gpu.isOpen()) {
      return new Tenancy.Exclusive(gpu.tenants().getFirst().submission().name());
    }
    List<Tenant> tenants = new ArrayList<>();
    for (JobView job : gpu.tenants()) {
      Prediction prediction = job.submission().predictions().get(gpu.kind().device().id());
      if (prediction == null) {
        return new Tenancy.Exclusive(job.submission().name());
      }
      tenants.add(
          new Tenant(
              job.submission().name(),
              prediction.utilization(),
              prediction.peakMemory(),
              limits.slowdown(),
              at(job.startedAt()),
              prediction.run().orElse(null)));
    }
    return new Tenancy.Shared(tenants);
  }

  private static Instant at(Duration sinceStart) {
    return Instant.EPOCH.plus(sinceStart);
  }

  @Override
  public Object schedulingClass(JobView job) {
    return job.outOfMemoryKills() == 0
        ? new Alike(job.submission().configuration(), job.submission().predictions())
        : job;
  }

  private record Alike(String configuration, Map<DeviceId, Prediction> predictions) {}
}
