package dev.cotenant.simulator.world;

import java.time.Duration;

/** Takes the figures of single jobs, for distributions. */
@FunctionalInterface
public interface Observer {
  /**
   * One job.
   *
   * @param submission what came with it
   * @param arrived since the start
   * @param waited in the queue
   * @param ran on GPUs
   * @param ended since the start
   */
  record Ended(
      Submission submission, Duration arrived, Duration waited, Duration ran, Duration ended) {}

  void ended(Ended job);
}
