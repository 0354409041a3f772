package dev.cotenant.interference;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.profile.WorkloadProfile;
import org.jspecify.annotations.Nullable;

/** Where the profile of a workload comes from. */
public sealed interface WorkloadProfileSource {
  /**
   * Inference that was profiled on this device.
   *
   * @param profile its coefficients
   * @param solo solo measurements; null if only the coefficients are known
   */
  record Profiled(WorkloadProfile profile, @Nullable MeasuredSolo solo)
      implements WorkloadProfileSource {}

  /**
   * Inference that was never or hardly profiled; its coefficients come from its graph.
   *
   * @param profile guessed coefficients
   * @param solo the guess and the runs that have corrected it
   */
  record Guessed(WorkloadProfile profile, MeasuredSolo solo) implements WorkloadProfileSource {}

  /**
   * Unmeasured: its graph gives the work, the predictor the utilization.
   *
   * @param work of its graph
   * @param utilizationPercent time any kernel runs alone on the whole device, 0 to 100
   */
  record FromGraph(GraphWork work, double utilizationPercent) implements WorkloadProfileSource {
    public FromGraph {
      requirePercent("utilization", utilizationPercent);
    }
  }

  /**
   * A training job, measured solo.
   *
   * @param utilizationPercent time any kernel ran, 0 to 100
   */
  record Training(double utilizationPercent) implements WorkloadProfileSource {
    public Training {
      requirePercent("utilization", utilizationPercent);
    }
  }

  private static void requirePercent(String name, double percent) {
    if (!(percent >= 0 && percent <= 100)) {
      throw InputException.invalidArgument(
          "usage-out-of-range", "A " + name + " must be 0 to 100 %, is " + percent + ".");
    }
  }
}
