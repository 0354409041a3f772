package dev.cotenant.placement.jobs;

import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.placement.fleet.Job;
import java.util.Comparator;

/**
 * Parameters of a packer.
 *
 * @param order in which jobs are placed
 * @param limits of every GPU
 * @param fit which GPU is taken among those with enough left
 */
record Rule(Comparator<Job> order, JobLimits limits, Fit fit) {
  /** The published schedulers take jobs as they arrive; a plan knows no arrivals, so by name. */
  static final Comparator<Job> BY_NAME = Comparator.comparing(Job::name);

  /** By the largest estimate on any kind of device. */
  static final Comparator<Job> LARGEST_UTILIZATION_FIRST =
      Comparator.comparingDouble(Rule::largestPercent).reversed().thenComparing(BY_NAME);

  private static double largestPercent(Job job) {
    return job.predictions().values().stream()
        .mapToDouble(prediction -> prediction.utilization().percent())
        .max()
        .orElse(0);
  }

  /** Which GPU is taken among those with enough left. */
  enum Fit {
    /** The one opened first. */
    FIRST,
    /** The one with the least memory left; of equals the one opened first. */
    MIN_MEMORY_LEFT
  }

  /** A job's demand in the limited figures. */
  Demand demand(Job job, Job.DevicePrediction prediction) {
    return switch (limits.memory()) {
      case PREDICTED -> new Demand(prediction.utilization(), prediction.peakMemory());
      case REQUESTED, REQUESTED_LESS_THAN_ALL -> new Demand(Utilization.IDLE, job.requested());
    };
  }
}
