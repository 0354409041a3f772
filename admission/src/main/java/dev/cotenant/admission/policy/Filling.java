package dev.cotenant.admission.policy;

import dev.cotenant.admission.pod.GpuDialect;
import org.jspecify.annotations.Nullable;

/**
 * Filling of requests in a namespace.
 *
 * @param target the dialect into which requests for whole GPUs are turned, one that states memory;
 *     null where they stay as they are
 * @param killsPerWeek the most pods of a namespace that may run out of filled memory within a week;
 *     beyond, nothing is filled there
 * @param scope what is filled
 */
public record Filling(@Nullable GpuDialect target, int killsPerWeek, Scope scope) {
  /** The largest budget of a namespace. */
  public static final int MAX_KILLS = 1_000;

  /** Whole GPUs stay whole; two kills a week; pods alone. */
  public static final Filling DEFAULT = new Filling(null, 2, Scope.PODS);

  /** What is filled. */
  public enum Scope {
    PODS,
    /** Pods, and the templates of Jobs, JobSets and TrainJobs, which queues charge. */
    TEMPLATES
  }

  /**
   * @throws BadPolicyValueException when a value is out of its range
   */
  public Filling {
    if (target != null && target.memoryField().isEmpty()) {
      throw new BadPolicyValueException(
          "fill-target", "must be a dialect that states memory, is " + target.word());
    }
    if (killsPerWeek < 0 || killsPerWeek > MAX_KILLS) {
      throw new BadPolicyValueException(
          "fill-kills-per-week", "must be from 0 to " + MAX_KILLS + ", is " + killsPerWeek);
    }
  }
}
