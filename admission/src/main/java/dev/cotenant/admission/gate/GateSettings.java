package dev.cotenant.admission.gate;

import java.time.Duration;

/**
 * How the controller deals with a cluster that answers late or not at all.
 *
 * @param fence how long a write of an earlier term may still be on its way; after that a new term
 *     looks again at pods that no write of its own could make sure of
 * @param leakAfter how long a granted pod may be on no node before it is reported
 * @param reportEvery the least time between two changes of a held pod's reason annotation
 * @param retryFirst how long after a failed write it is tried again, doubled with every failure
 * @param retryMost the most of that
 * @param resubmissions how many pods of one owner are deleted for having run out of memory, so that
 *     the owner makes new ones; 0 for none
 * @param hold how long capacity waits that was granted to others than pods
 */
public record GateSettings(
    Duration fence,
    Duration leakAfter,
    Duration reportEvery,
    Duration retryFirst,
    Duration retryMost,
    int resubmissions,
    Duration hold) {
  /**
   * One minute, the longest that an API server works on a request; leaks after five minutes;
   * retries after one second to half a minute; three resubmissions; two minutes.
   */
  public static final GateSettings DEFAULT =
      new GateSettings(
          Duration.ofMinutes(1),
          Duration.ofMinutes(5),
          Duration.ofMinutes(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(30),
          3,
          Duration.ofMinutes(2));

  public GateSettings {
    requirePositive("fence", fence);
    requirePositive("leakAfter", leakAfter);
    requirePositive("reportEvery", reportEvery);
    requirePositive("retryFirst", retryFirst);
    requirePositive("retryMost", retryMost);
    requirePositive("hold", hold);
    if (resubmissions < 0) {
      throw new IllegalArgumentException("resubmissions must not be negative, is " + resubmissions);
    }
  }

  /** How long after the so manieth failure in a row something is tried again. */
  Duration backOff(int failures) {
    long doubled = retryFirst.toMillis() << Math.min(failures - 1, 20);
    return Duration.ofMillis(Math.min(doubled, retryMost.toMillis()));
  }

  private static void requirePositive(String name, Duration value) {
    if (!value.isPositive()) {
      throw new IllegalArgumentException(name + " must be positive, is " + value);
    }
  }
}
