package dev.cotenant.admission.policy;

import java.time.Duration;

/**
 * What follows when a pod was measured beyond its limit.
 *
 * @param mode how far it goes
 * @param time minimum duration of the exceeded limit, from 1 min to an hour
 * @param evictionsPerHour most pods of a namespace that are evicted for it within an hour, from 0
 *     to 1,000
 */
public record GuardRules(Mode mode, Duration time, int evictionsPerHour) {
  private static final Duration MIN_TIME = Duration.ofMinutes(1);
  private static final Duration MAX_TIME = Duration.ofHours(1);
  private static final int MAX_EVICTIONS = 1_000;

  /**
   * Events and metrics, after five minutes; four evictions within an hour where they are wanted.
   */
  public static final GuardRules DEFAULT = new GuardRules(Mode.OBSERVE, Duration.ofMinutes(5), 4);

  /** How far it goes. */
  public enum Mode {
    /** Nothing. */
    OFF,
    /** An Event and a metric. */
    OBSERVE,
    /**
     * The GPU takes no further pods, the pair is remembered, and the newcomer is evicted where its
     * annotation allows that.
     */
    ACT
  }

  /** The same, which go no further than a mode. */
  public GuardRules atMost(Mode most) {
    return mode.compareTo(most) <= 0 ? this : new GuardRules(most, time, evictionsPerHour);
  }

  /**
   * @throws BadPolicyValueException when a number is out of its range
   */
  public GuardRules {
    if (time.compareTo(MIN_TIME) < 0 || time.compareTo(MAX_TIME) > 0) {
      throw new BadPolicyValueException("guard-time", "must be from PT1M to PT1H, is " + time);
    }
    if (evictionsPerHour < 0 || evictionsPerHour > MAX_EVICTIONS) {
      throw new BadPolicyValueException(
          "guard-evictions-per-hour",
          "must be from 0 to " + MAX_EVICTIONS + ", is " + evictionsPerHour);
    }
  }
}
