package dev.cotenant.admission.guard;

import java.time.Instant;

/**
 * A measurement of a pod and its limit, both in the unit of the signal.
 *
 * @param uid of the pod
 * @param signal what was measured
 * @param value the measured value, not negative
 * @param limit that of the grant, positive
 * @param deadBand one standard deviation of the noise, as a share of the value, from 0 to 1
 * @param at time of the newest sample behind it
 */
public record Sample(
    String uid, Signal signal, double value, double limit, double deadBand, Instant at) {
  /** A slowdown beyond that of any neighbours: the pod does something else than its steps. */
  private static final double STANDSTILL = 10;

  /**
   * @throws IllegalArgumentException if a number is out of range
   */
  public Sample {
    if (!(value >= 0 && Double.isFinite(value))) {
      throw new IllegalArgumentException("the value must be a number from 0 on, is " + value);
    }
    if (!(limit > 0 && Double.isFinite(limit))) {
      throw new IllegalArgumentException("the limit must be positive, is " + limit);
    }
    if (!(deadBand >= 0 && deadBand <= 1)) {
      throw new IllegalArgumentException("the dead band must be from 0 to 1, is " + deadBand);
    }
  }

  /** Whether it is beyond the limit by more than the noise. */
  boolean isBroken() {
    return value > limit * (1 + deadBand);
  }

  /** Whether the pod makes no steps, or so few that it waits for something else than the GPU. */
  boolean isStandstill() {
    return signal == Signal.SLOWDOWN && value > STANDSTILL;
  }

  /**
   * Whether the value is within the limit; values in the dead band are neither kept nor exceeded.
   */
  boolean isKept() {
    return value <= limit;
  }
}
