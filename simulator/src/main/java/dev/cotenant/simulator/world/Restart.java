package dev.cotenant.simulator.world;

import java.time.Duration;

/**
 * The cost of a job's interruption.
 *
 * @param lostWork repeated work, at most all completed work
 * @param backoff time until the job is in the queue again
 */
public record Restart(Duration lostWork, Duration backoff) {
  private static final Duration ALL = Duration.ofDays(100_000);

  /** All work is lost; the first back-off of a Kubernetes container, 10 s. */
  public static final Restart FROM_SCRATCH = new Restart(ALL, Duration.ofSeconds(10));

  /** All work is lost, the job queues at once. */
  public static final Restart AT_ONCE = new Restart(ALL, Duration.ZERO);

  public Restart {
    if (lostWork.isNegative() || backoff.isNegative()) {
      throw new IllegalArgumentException("costs must be at least 0");
    }
  }
}
