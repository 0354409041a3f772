package dev.cotenant.interference;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.interference.partition.Inss;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.profile.WorkloadProfile;
import org.jspecify.annotations.Nullable;

/** What is known of a workload. */
public sealed interface Knowledge {
  /**
   * Inference that was profiled on this device.
   *
   * @param profile its coefficients
   * @param solo what was measured of it alone; null where only the coefficients are known
   */
  record Profiled(WorkloadProfile profile, @Nullable MeasuredSolo solo) implements Knowledge {}

  /**
   * Inference that was never or hardly profiled; its coefficients come from its graph.
   *
   * @param profile guessed coefficients
   * @param solo the guess and the runs that have corrected it
   */
  record Guessed(WorkloadProfile profile, MeasuredSolo solo) implements Knowledge {}

  /**
   * Nothing was measured; its graph says what it does and the predictor how busy it keeps a device.
   *
   * @param work of its graph
   * @param utilizationPercent time any kernel runs alone on the whole device, 0 to 100
   */
  record FromGraph(GraphWork work, double utilizationPercent) implements Knowledge {
    public FromGraph {
      requirePercent("utilization", utilizationPercent);
    }
  }

  /**
   * Inference whose requests wait for their batch, profiled on this device in InSS's terms.
   *
   * @param coefficients what InSS knows of it; its base are iGniter's coefficients
   * @param arrival what a request finds when it arrives, and the rate at which others follow
   */
  record Queued(Inss.Coefficients coefficients, Inss.Arrival arrival) implements Knowledge {}

  /**
   * A training job, as it is alone.
   *
   * @param utilizationPercent time any kernel ran, 0 to 100
   * @param bandwidthPercent time memory was read or written, 0 to 100; null where not known
   */
  record Training(double utilizationPercent, @Nullable Double bandwidthPercent)
      implements Knowledge {
    public Training {
      requirePercent("utilization", utilizationPercent);
      if (bandwidthPercent != null) {
        requirePercent("memory-bandwidth utilization", bandwidthPercent);
      }
    }
  }

  private static void requirePercent(String name, double percent) {
    if (!(percent >= 0 && percent <= 100)) {
      throw InputException.invalidArgument(
          "usage-out-of-range", "A " + name + " must be 0 to 100 %, is " + percent + ".");
    }
  }
}
