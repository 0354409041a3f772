package dev.cotenant.simulator.world.recorder;

import dev.cotenant.simulator.world.Totals;

/**
 * A run of a policy.
 *
 * @param policy its name
 * @param totals sums
 * @param recorder time lines and distributions
 */
public record RecordedRun(String policy, Totals totals, Recorder recorder) {
  private static final double SECONDS_PER_HOUR = 3600;

  /** Mean number of jobs on a GPU that has any. */
  public double jobsPerGpu() {
    return totals.jobSeconds() / (totals.gpuHours() * SECONDS_PER_HOUR);
  }
}
