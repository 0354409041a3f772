package dev.cotenant.simulator.world;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows the truth about every job that has come, not the jobs to come: the only policy of this
 * package, since no other package can read a truth. A job joins where all stay within the harm
 * limit and the peaks of memory fit; of several GPUs the one whose jobs fit beside the fewest
 * configurations seen so far.
 */
public final class Oracle implements Policy {
  private final WorldSettings settings;
  private final int tenants;
  private final Map<String, Job> seen = new HashMap<>();
  private final Map<Pair, Boolean> compatible = new HashMap<>();

  private record Pair(String own, String other, DeviceId device) {}

  /**
   * @param settings the truth about the cluster
   * @param tenants at most so many jobs on a GPU
   */
  public Oracle(WorldSettings settings, int tenants) {
    this.settings = settings;
    this.tenants = tenants;
  }

  @Override
  public Placement place(JobView view, View cluster) {
    Job job = view.job;
    seen.putIfAbsent(job.submission.configuration(), job);
    GpuView best = null;
    long fewest = Long.MAX_VALUE;
    for (int n = 1; n < tenants; n++) {
      for (GpuView gpu : cluster.openWith(n)) {
        if (cluster.mayJoin(view, gpu) && allFit(job, gpu.gpu)) {
          long partners = partners(gpu.gpu);
          if (partners < fewest) {
            best = gpu;
            fewest = partners;
          }
        }
      }
    }
    return orIdle(best, cluster);
  }

  private static Placement orIdle(@Nullable GpuView best, View cluster) {
    if (best != null) {
      return Placement.on(best);
    }
    return cluster.idle().isEmpty() ? Placement.waiting() : Placement.on(cluster.idle().first());
  }

  private boolean allFit(Job job, Gpu gpu) {
    List<Job> all = new ArrayList<>(gpu.jobs());
    all.add(job);
    MemorySize memory = MemorySize.ZERO;
    for (Job own : all) {
      memory = memory.plus(own.truth.peak());
      List<Phase.Load> others = all.stream().filter(other -> other != own).map(Job::load).toList();
      if (isHarmed(own, others, gpu.kind.device().id())) {
        return false;
      }
    }
    return memory.isAtMost(gpu.kind.capacity());
  }

  private boolean isHarmed(Job own, List<Phase.Load> others, DeviceId device) {
    double alone = settings.speeds().speed(own.load(), List.of(), device);
    double beside = settings.speeds().speed(own.load(), others, device);
    return alone > beside * settings.harm().ratio();
  }

  private long partners(Gpu gpu) {
    Job first = gpu.jobs().getFirst();
    return seen.values().stream().filter(other -> getOn(first, other, gpu.kind)).count();
  }

  private boolean getOn(Job one, Job two, GpuKind kind) {
    String own = one.submission.configuration();
    String other = two.submission.configuration();
    DeviceId device = kind.device().id();
    return compatible.computeIfAbsent(
        new Pair(own, other, device),
        _ ->
            settings.mayShare().test(own, other)
                && !isHarmed(one, List.of(two.load()), device)
                && !isHarmed(two, List.of(one.load()), device)
                && one.truth.peak().plus(two.truth.peak()).isAtMost(kind.capacity()));
  }

  @Override
  public Object schedulingClass(JobView job) {
    return job.submission().configuration();
  }
}
