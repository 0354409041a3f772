package dev.cotenant.forecast;

import dev.cotenant.forecast.history.SteppedHistory;

/** Two plain shapes of a series, and the peak they lead to. */
final class Trend {
  /** Steps that have to rise alike before they count as a ramp. */
  private static final int RAMP_STEPS = 5;

  /** The largest of them may be this many times the smallest. */
  private static final double RAMP_EVENNESS = 2;

  /** Longest period in the search; two periods must be in the history. */
  private static final int MAX_PERIOD_STEPS = 60;

  /** Shorter ones lie within a horizon and the recent maximum shows them. */
  private static final int MIN_PERIOD_STEPS = 4;

  /** A value and the one a period before are alike within this share of the range. */
  private static final double ALIKE = 0.05;

  /** Share of the values that must be alike. */
  private static final double PERIODIC = 0.9;

  private Trend() {}

  /** Where an even ramp leads within the horizon; 0 where there is none. */
  static double rampBytes(SteppedHistory history) {
    if (history.length() <= RAMP_STEPS) {
      return 0;
    }
    double smallest = Double.POSITIVE_INFINITY;
    double largest = 0;
    for (int i = 0; i < RAMP_STEPS; i++) {
      double rise = history.before(i) - history.before(i + 1);
      smallest = Math.min(smallest, rise);
      largest = Math.max(largest, rise);
    }
    boolean even = smallest > 0 && largest <= RAMP_EVENNESS * smallest;
    return even ? history.last() + largest * SteppedHistory.STEPS : 0;
  }

  /** The most of the last period of a series that repeats itself; 0 where it does not. */
  static double periodPeakBytes(SteppedHistory history) {
    int window = Math.min(history.length(), 2 * MAX_PERIOD_STEPS);
    double most = history.maximum(window);
    double least = most;
    for (int i = 0; i < window; i++) {
      least = Math.min(least, history.before(i));
    }
    double alike = ALIKE * (most - least);
    if (alike == 0) {
      return 0;
    }
    for (int period = MIN_PERIOD_STEPS; 2 * period <= window; period++) {
      if (repeats(history, period, alike)) {
        return history.maximum(period);
      }
    }
    return 0;
  }

  /** Whether the last period is the one before it again, with both its high and its low. */
  private static boolean repeats(SteppedHistory history, int period, double alike) {
    int allowed = (int) ((1 - PERIODIC) * period);
    double most = history.before(0);
    double least = most;
    for (int i = 0; i < period; i++) {
      double value = history.before(i);
      most = Math.max(most, value);
      least = Math.min(least, value);
      if (Math.abs(value - history.before(i + period)) > alike && --allowed < 0) {
        return false;
      }
    }
    return most - least > 2 * alike;
  }
}
