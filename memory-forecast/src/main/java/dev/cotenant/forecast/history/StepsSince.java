package dev.cotenant.forecast.history;

import java.util.function.IntPredicate;

/** How many steps ago something last happened in a series; its length where it never did. */
final class StepsSince {
  private final double[] values;

  /**
   * @param values oldest first, at least one
   */
  StepsSince(double[] values) {
    this.values = values;
  }

  /** The newest step with the most of the steps from {@code from} on. */
  int maximum(int from) {
    int at = values.length - 1;
    for (int i = at; i >= from; i--) {
      at = values[i] > values[at] ? i : at;
    }
    return values.length - 1 - at;
  }

  /** Steps since the last rise. */
  int rise() {
    return since(i -> i > 0 && values[i] > values[i - 1]);
  }

  /** Steps since the last fall. */
  int fall() {
    return since(i -> i > 0 && values[i] < values[i - 1]);
  }

  /**
   * Steps since the last value above the maximum of the {@link SteppedHistory#RECENT} preceding
   * ones.
   */
  int recentHigh() {
    return since(i -> i > 0 && values[i] > mostBefore(i));
  }

  /** A value of at least {@code bytes}. */
  int atLeast(double bytes) {
    return since(i -> values[i] >= bytes);
  }

  private double mostBefore(int step) {
    double most = 0;
    for (int i = Math.max(0, step - SteppedHistory.RECENT); i < step; i++) {
      most = Math.max(most, values[i]);
    }
    return most;
  }

  private int since(IntPredicate happened) {
    int last = values.length - 1;
    for (int i = last; i >= 0; i--) {
      if (happened.test(i)) {
        return last - i;
      }
    }
    return values.length;
  }
}
