package dev.cotenant.admission.policy;

import dev.cotenant.domain.decision.SharingLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is measured of granted pods, and what follows.
 *
 * @param profiling which trainings are measured alone before they share
 * @param profileTime how long, from 1 s to an hour
 * @param guard what follows when one was measured beyond its limit
 * @param speedQuery for the speed of pods that name no metric; null without one
 */
public record Measuring(
    Profiling profiling,
    Duration profileTime,
    GuardRules guard,
    @Nullable QueryTemplate speedQuery) {
  /** Nothing is profiled; where it is switched on, for five minutes. The guard observes. */
  public static final Measuring DEFAULT =
      new Measuring(Profiling.OFF, Duration.ofMinutes(5), GuardRules.DEFAULT, null);

  /** Which trainings are measured alone before they share. */
  public enum Profiling {
    /** None. */
    OFF,
    /** Configurations without a measured run on the product. */
    UNKNOWN_FIRST
  }

  /**
   * @throws BadPolicyValueException if the time is out of range
   */
  public Measuring {
    if (profileTime.compareTo(Duration.ofSeconds(1)) < 0
        || profileTime.compareTo(SharingLimits.MAX_PROFILE_TIME) > 0) {
      throw new BadPolicyValueException(
          "profile-time", "must be from PT1S to PT1H, is " + profileTime);
    }
  }

  /** How long a configuration that was never measured is alone; zero where it may share at once. */
  public Duration alone() {
    return profiling == Profiling.OFF ? Duration.ZERO : profileTime;
  }
}
