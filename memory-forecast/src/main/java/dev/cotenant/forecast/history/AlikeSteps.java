package dev.cotenant.forecast.history;

import dev.cotenant.learning.quantile.SortedSample;
import java.util.Arrays;

/**
 * Steps with about the current used memory and a full following horizon, with the memory that
 * followed.
 */
final class AlikeSteps {
  /** Values within this share of the reference count as the same. */
  static final double SHARE = 0.03;

  private static final int LONG_STEPS = 12;
  private static final int LENGTH_CLASS = 3;

  private final double[] following;
  private final double[] peaks;
  private final int asLong;

  private AlikeSteps(double[] following, double[] peaks, int asLong) {
    this.following = following;
    this.peaks = peaks;
    this.asLong = asLong;
  }

  /**
   * Finds them.
   *
   * @param values oldest first, at least one
   * @param latestPeaks by step, the maximum of the last {@link SteppedHistory#STEPS} values
   * @param within bytes that two values may differ by
   */
  static AlikeSteps in(double[] values, double[] latestPeaks, double within) {
    int last = values.length - 1;
    int[] unchanged = new int[values.length];
    for (int i = 1; i < values.length; i++) {
      unchanged[i] = values[i] == values[i - 1] ? unchanged[i - 1] + 1 : 0;
    }
    double[] following = new double[values.length];
    double[] peaks = new double[values.length];
    int found = 0;
    int asLong = 0;
    for (int i = 0; i <= last - SteppedHistory.STEPS; i++) {
      if (Math.abs(values[i] - values[last]) <= within) {
        following[found] = values[i + 1];
        peaks[found++] = latestPeaks[i + SteppedHistory.STEPS];
        asLong += lengthClass(unchanged[i]) == lengthClass(unchanged[last]) ? 1 : 0;
      }
    }
    return new AlikeSteps(Arrays.copyOf(following, found), Arrays.copyOf(peaks, found), asLong);
  }

  private static int lengthClass(int steps) {
    return Math.min(steps, LONG_STEPS) / LENGTH_CLASS;
  }

  /** How many there are. */
  int count() {
    return following.length;
  }

  /** How many of them had been unchanged for about as long as the newest step has. */
  int asLong() {
    return asLong;
  }

  /** What the next step used, in bytes; there must be one. */
  SortedSample following() {
    return new SortedSample(following, 0);
  }

  /** Peaks of the following horizons, in bytes; at least one. */
  SortedSample peaks() {
    return new SortedSample(peaks, 0);
  }
}
