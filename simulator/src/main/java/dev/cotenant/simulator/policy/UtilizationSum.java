package dev.cotenant.simulator.policy;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.QueueRule;
import dev.cotenant.simulator.world.Review;
import dev.cotenant.simulator.world.View;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Jobs share while their known utilizations add up to at most a limit and their known memory fits.
 * A job of which nothing is known runs alone on an idle GPU for a while and is measured; then it
 * moves in with others where it fits, or stays and others may join. A job that ran out of memory
 * beside others gets a GPU of its own.
 */
final class UtilizationSum implements Policy {
  private final Knowledge knowledge;
  private final Limits limits;
  private final QueueRule queue;
  private final @Nullable Duration profiling;

  /**
   * Within what limits.
   *
   * @param utilizationPercent limit of the sum
   * @param tenants at most so many jobs on a GPU
   * @param fit which of several GPUs
   * @param reserved GPUs with the lowest indices, on which jobs are measured and never stay
   */
  record Limits(double utilizationPercent, int tenants, Fit fit, int reserved) {}

  /** Which of several GPUs a job joins. */
  enum Fit {
    /** The first by index. */
    FIRST,
    /** The one with the largest sum of utilizations. */
    FULLEST
  }

  /**
   * @param profiling how long an unknown job runs alone; null: it shares a GPU with no other
   */
  UtilizationSum(
      Knowledge knowledge, Limits limits, QueueRule queue, @Nullable Duration profiling) {
    this.knowledge = knowledge;
    this.limits = limits;
    this.queue = queue;
    this.profiling = profiling;
  }

  @Override
  public QueueRule queue() {
    return queue;
  }

  @Override
  public Placement place(JobView job, View view) {
    Optional<Knowledge.Usage> usage = knowledge.of(job);
    if (usage.isEmpty() && profiling != null) {
      GpuView idle = limits.reserved() == 0 ? idle(view) : idleReserved(view);
      return idle == null ? Placement.waiting() : Placement.profiled(idle, profiling);
    }
    GpuView idle = idle(view);
    if (usage.isPresent() && job.outOfMemoryKills() == 0) {
      GpuView shared = shared(job, usage.get(), view);
      return shared != null
          ? Placement.on(shared)
          : orWait(idle == null ? null : Placement.on(idle));
    }
    return orWait(idle == null ? null : Placement.alone(idle));
  }

  private static Placement orWait(@Nullable Placement placement) {
    return placement == null ? Placement.waiting() : placement;
  }

  /** The first idle GPU that is not reserved. */
  private @Nullable GpuView idle(View view) {
    for (GpuView gpu : view.idle()) {
      if (gpu.index() >= limits.reserved()) {
        return gpu;
      }
    }
    return null;
  }

  private @Nullable GpuView idleReserved(View view) {
    boolean any = !view.idle().isEmpty() && view.idle().first().index() < limits.reserved();
    return any ? view.idle().first() : null;
  }

  private @Nullable GpuView shared(JobView job, Knowledge.Usage usage, View view) {
    GpuView best = null;
    double bestSum = -1;
    for (int n = 1; n < limits.tenants(); n++) {
      for (GpuView gpu : view.openWith(n)) {
        double sum = sumWith(usage, gpu);
        if (sum <= limits.utilizationPercent()
            && view.mayJoin(job, gpu)
            && isBetter(gpu, sum, best, bestSum)) {
          best = gpu;
          bestSum = sum;
          if (limits.fit() == Fit.FIRST) {
            break;
          }
        }
      }
    }
    return best;
  }

  private boolean isBetter(GpuView gpu, double sum, @Nullable GpuView best, double bestSum) {
    return best == null
        || switch (limits.fit()) {
          case FIRST -> gpu.index() < best.index();
          case FULLEST -> sum > bestSum;
        };
  }

  /** The sum of utilizations; infinite where memory does not fit or a tenant is unknown. */
  private double sumWith(Knowledge.Usage usage, GpuView gpu) {
    double sum = usage.utilizationPercent();
    MemorySize memory = usage.memory();
    for (JobView tenant : gpu.tenants()) {
      Optional<Knowledge.Usage> other = knowledge.of(tenant);
      if (other.isEmpty()) {
        return Double.POSITIVE_INFINITY;
      }
      sum += other.get().utilizationPercent();
      memory = memory.plus(other.get().memory());
    }
    return memory.isAtMost(gpu.kind().capacity()) ? sum : Double.POSITIVE_INFINITY;
  }

  @Override
  public Review review(JobView job, View view) {
    Optional<Knowledge.Usage> usage = knowledge.of(job);
    GpuView shared = usage.isEmpty() ? null : shared(job, usage.get(), view);
    if (shared != null) {
      return new Review.Move(new Placement.Start(shared, Placement.Access.OPEN, null));
    }
    boolean onReserved = job.gpu().filter(gpu -> gpu.index() < limits.reserved()).isPresent();
    return onReserved ? new Review.Leave() : new Review.Stay(null);
  }

  /** Jobs with one configuration and equal knowledge. */
  @Override
  public Object schedulingClass(JobView job) {
    return new Alike(
        job.submission().configuration(), knowledge.of(job), job.outOfMemoryKills() == 0);
  }

  private record Alike(String configuration, Optional<Knowledge.Usage> usage, boolean mayShare) {}
}
