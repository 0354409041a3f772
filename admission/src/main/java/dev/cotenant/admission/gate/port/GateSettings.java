package dev.cotenant.admission.gate.port;

import java.time.Duration;

/**
 * Timeouts and retries of the controller.
 *
 * @param fence longest time that a write of an earlier term may be in flight; after it, pods that
 *     no write could fence are read again
 * @param leakAfter time without a node after which a granted pod is reported
 * @param reportEvery least time between two status reports of a pod
 * @param retryFirst delay of the first retry, doubled with every failure
 * @param retryMost longest delay of a retry
 * @param resubmissions most pods of one owner that are deleted in a day so that it makes new ones;
 *     0 for none
 * @param unschedulableAfter time after which a granted pod that its scheduler refuses is handled
 * @param hold time until an unconfirmed reservation expires
 * @param nomination time until capacity that was nominated for a pod is given up, where its
 *     scheduler has not bound it; doubled pauses follow
 */
public record GateSettings(
    Duration fence,
    Duration leakAfter,
    Duration reportEvery,
    Duration retryFirst,
    Duration retryMost,
    int resubmissions,
    Duration unschedulableAfter,
    Duration hold,
    Duration nomination) {
  /**
   * Fence one minute, the longest that an API server works on a request; leaks after five minutes;
   * retries after one second to half a minute; three resubmissions; unschedulable pods after one
   * minute; reservations for two minutes; nominations for half a minute.
   */
  public static final GateSettings DEFAULT =
      new GateSettings(
          Duration.ofMinutes(1),
          Duration.ofMinutes(5),
          Duration.ofMinutes(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(30),
          3,
          Duration.ofMinutes(1),
          Duration.ofMinutes(2),
          Duration.ofSeconds(30));

  public GateSettings {
    requirePositive("fence", fence);
    requirePositive("leakAfter", leakAfter);
    requirePositive("reportEvery", reportEvery);
    requirePositive("retryFirst", retryFirst);
    requirePositive("retryMost", retryMost);
    requirePositive("hold", hold);
    requirePositive("nomination", nomination);
    requirePositive("unschedulableAfter", unschedulableAfter);
    if (resubmissions < 0) {
      throw new IllegalArgumentException("resubmissions must not be negative, is " + resubmissions);
    }
  }

  /** Copy with a different time for pods that their scheduler refuses. */
  public GateSettings withUnschedulableAfter(Duration other) {
    return new GateSettings(
        fence,
        leakAfter,
        reportEvery,
        retryFirst,
        retryMost,
        resubmissions,
        other,
        hold,
        nomination);
  }

  /** The delay of the retry after this many failures in a row. */
  public Duration backOff(int failures) {
    long doubled = retryFirst.toMillis() << Math.min(failures - 1, 20);
    return Duration.ofMillis(Math.min(doubled, retryMost.toMillis()));
  }

  private static void requirePositive(String name, Duration value) {
    if (!value.isPositive()) {
      throw new IllegalArgumentException(name + " must be positive, is " + value);
    }
  }
}
