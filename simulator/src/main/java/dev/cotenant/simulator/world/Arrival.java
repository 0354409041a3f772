package dev.cotenant.simulator.world;

import java.time.Duration;

/**
 * A job that comes.
 *
 * @param at since the start
 * @param submission what the cluster is given
 * @param truth what the job does
 */
public record Arrival(Duration at, Submission submission, Truth truth) {
  public Arrival {
    if (at.isNegative()) {
      throw new IllegalArgumentException("a job cannot arrive before the start, at " + at);
    }
  }
}
