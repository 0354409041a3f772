package dev.cotenant.simulator.world;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows the truth about every job that has come, not the jobs to come: the only policy of this
 * package, since no other package can read a truth. A job joins where all stay within the harm
 * limit and the peaks of memory fit; of several GPUs the one whose first job fits beside the fewest
 * of the configurations that came first, at most {@value #MAX_SEEN}.
 */
public final class Oracle implements Policy {
  private static final int MAX_SEEN = 256;

  private final WorldSettings settings;
  private final int tenants;
  private final Set<String> configurations = new HashSet<>();
  private final List<Job> seen = new ArrayList<>();
  private final Map<Kind, Partners> partners = new HashMap<>();

  private record Kind(String configuration, DeviceId device) {}

  /** Those of the configurations seen so far, up to an index, beside which a configuration fits. */
  private static final class Partners {
    int examined;
    long count;
  }

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
    if (seen.size() < MAX_SEEN && configurations.add(job.submission.configuration())) {
      seen.add(job);
    }
    GpuView best = null;
    long fewest = Long.MAX_VALUE;
    for (int n = 1; n < tenants; n++) {
      for (GpuView gpu : cluster.openWith(n)) {
        long partners = partners(gpu.gpu);
        if (partners < fewest && cluster.mayJoin(view, gpu) && allFit(job, gpu.gpu)) {
          best = gpu;
          fewest = partners;
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
    }
    return memory.isAtMost(gpu.kind.capacity())
        && all.stream().noneMatch(own -> isHarmed(own, beside(own, all), gpu.kind));
  }

  private static List<Phase.Load> beside(Job own, List<Job> all) {
    return all.stream().filter(other -> other != own).map(Job::load).toList();
  }

  private boolean isHarmed(Job own, List<Phase.Load> others, GpuKind kind) {
    double alone = settings.speed(kind, own.load(), List.of());
    double beside = settings.speed(kind, own.load(), others);
    return alone > beside * WorldSettings.HARM_RATIO;
  }

  private long partners(Gpu gpu) {
    Job first = gpu.jobs().getFirst();
    Partners known =
        partners.computeIfAbsent(
            new Kind(first.submission.configuration(), gpu.kind.device().id()),
            _ -> new Partners());
    while (known.examined < seen.size()) {
      known.count += getOn(first, seen.get(known.examined++), gpu.kind) ? 1 : 0;
    }
    return known.count;
  }

  private boolean getOn(Job one, Job two, GpuKind kind) {
    return settings.mayShare().test(one.submission.configuration(), two.submission.configuration())
        && one.truth.peak().plus(two.truth.peak()).isAtMost(kind.capacity())
        && !isHarmed(one, List.of(two.load()), kind)
        && !isHarmed(two, List.of(one.load()), kind);
  }

  @Override
  public Object schedulingClass(JobView job) {
    return job.submission().configuration();
  }
}
