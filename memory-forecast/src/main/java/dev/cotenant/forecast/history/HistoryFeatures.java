package dev.cotenant.forecast.history;

import dev.cotenant.learning.quantile.SortedSample;
import java.util.List;

/**
 * What the trees look at: the past of a device, free of scale.
 *
 * <p>Sizes are shares of the {@linkplain #reference reference}, the most the history used; times
 * are in steps. Linear in the history but for three sorts.
 */
public final class HistoryFeatures {
  /*
   * Chosen on three quarters of the pods of one production trace, by cross-validation among them.
   * What steps with about the same value were followed by lowers the headroom of the bound, times
   * since rises and falls the error of the next step; as forecasts of their own such neighbours lost.
   */

  /** Below this share of capacity no kernel runs: a driver's own use, or a process starting. */
  public static final double IDLE_SHARE = 0.01;

  /** The names, in the order of the numbers; a model file carries them. */
  public static final List<String> NAMES =
      List.of(
          "used",
          "used_1_ago",
          "used_2_ago",
          "used_3_ago",
          "used_4_ago",
          "max_5",
          "max_10",
          "max_30",
          "max_60",
          "max_120",
          "max_all",
          "min_5",
          "min_10",
          "min_30",
          "min_60",
          "median_30",
          "median_60",
          "p20_all",
          "p50_all",
          "p80_all",
          "p90_all",
          "p95_all",
          "p99_all",
          "peaks_p10",
          "peaks_p50",
          "peaks_p80",
          "peaks_p90",
          "peaks_p95",
          "peaks_60_p50",
          "peaks_60_p80",
          "peaks_60_p90",
          "mean_30",
          "mean_60",
          "mean_all",
          "deviation_30",
          "deviation_60",
          "deviation_all",
          "steps_unchanged",
          "steps_seen",
          "steps_since_idle",
          "changes_10",
          "changes_30",
          "changes_all",
          "mean_change_30",
          "steps_since_max_60",
          "reference_of_capacity",
          "steps_alike",
          "steps_alike_and_as_long",
          "peak_after_alike_p50",
          "peak_after_alike_p90",
          "peak_after_alike_most",
          "next_after_alike_p25",
          "next_after_alike_p50",
          "next_after_alike_p75",
          "steps_since_max_all",
          "steps_since_rise",
          "steps_since_fall",
          "steps_since_high_5",
          "steps_since_near_max_all",
          "steps_since_more");

  private static final int LAGS = 4;

  /** Share of the maximum from which a value counts as near it. */
  private static final double NEAR_MAXIMUM = 0.95;

  private final double[] values;
  private final double reference;
  private final double capacity;
  private final double[] peaks;
  private final float[] numbers = new float[NAMES.size()];
  private int filled;

  private HistoryFeatures(SteppedHistory history, double capacityBytes) {
    values = history.values();
    capacity = capacityBytes;
    reference = reference(history, capacityBytes);
    peaks = peaks(values);
  }

  /** The numbers of one history, in the order of {@link #NAMES}. */
  public static float[] of(SteppedHistory history, double capacityBytes) {
    HistoryFeatures features = new HistoryFeatures(history, capacityBytes);
    features.levels();
    features.quantiles();
    features.moments();
    features.times(history);
    return features.numbers;
  }

  /** What sizes are shares of: the most used, or half the capacity where nothing is. */
  public static double reference(SteppedHistory history, double capacityBytes) {
    double most = history.maximum(SteppedHistory.MAX_STEPS);
    return most >= IDLE_SHARE * capacityBytes ? most : capacityBytes / 2;
  }

  private void levels() {
    int last = values.length - 1;
    for (int lag = 0; lag <= LAGS; lag++) {
      size(values[lag <= last ? last - lag : last]);
    }
    for (int window : new int[] {5, 10, 30, 60, 120, SteppedHistory.MAX_STEPS}) {
      size(extreme(window, 1));
    }
    for (int window : new int[] {5, 10, 30, 60}) {
      size(extreme(window, -1));
    }
  }

  /** The largest of {@code sign} × value, with its sign. */
  private double extreme(int window, int sign) {
    double most = Double.NEGATIVE_INFINITY;
    for (int i = from(window); i < values.length; i++) {
      most = Math.max(most, sign * values[i]);
    }
    return sign * most;
  }

  private void quantiles() {
    SortedSample all = new SortedSample(values, 0);
    size(new SortedSample(values, from(30)).at(0.5));
    size((from(60) == 0 ? all : new SortedSample(values, from(60))).at(0.5));
    sizes(all, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99);
    int complete = values.length >= SteppedHistory.STEPS + 5 ? SteppedHistory.STEPS - 1 : 0;
    sizes(new SortedSample(peaks, complete), 0.1, 0.5, 0.8, 0.9, 0.95);
    sizes(new SortedSample(peaks, from(60)), 0.5, 0.8, 0.9);
  }

  /** By step, the maximum over the last horizon. */
  private static double[] peaks(double[] values) {
    double[] peaks = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      double most = 0;
      for (int j = Math.max(0, i - SteppedHistory.STEPS + 1); j <= i; j++) {
        most = Math.max(most, values[j]);
      }
      peaks[i] = most;
    }
    return peaks;
  }

  private void moments() {
    int[] windows = {30, 60, SteppedHistory.MAX_STEPS};
    for (int window : windows) {
      size(mean(window));
    }
    for (int window : windows) {
      double mean = mean(window);
      double squares = 0;
      for (int i = from(window); i < values.length; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
      }
      size(Math.sqrt(squares / (values.length - from(window))));
    }
  }

  private double mean(int window) {
    double sum = 0;
    for (int i = from(window); i < values.length; i++) {
      sum += values[i];
    }
    return sum / (values.length - from(window));
  }

  private void times(SteppedHistory history) {
    int last = values.length - 1;
    int unchanged = 0;
    while (unchanged < last && values[last - unchanged - 1] == values[last]) {
      unchanged++;
    }
    number(unchanged);
    number(values.length);
    number(history.stepsSinceBelow(IDLE_SHARE * capacity));
    for (int window : new int[] {10, 30, SteppedHistory.MAX_STEPS}) {
      number(changes(window));
    }
    size(meanChange(from(30)));
    StepsSince since = new StepsSince(values);
    number(since.maximum(from(60)));
    number(reference / capacity);
    alike();
    since(since);
  }

  /** Features of the steps that followed earlier steps at the current level. */
  private void alike() {
    double last = values[values.length - 1];
    AlikeSteps alike = AlikeSteps.in(values, peaks, AlikeSteps.SHARE * reference);
    number(alike.count());
    number(alike.asLong());
    if (alike.count() == 0) {
      size(-reference, -reference, -reference, 0, 0, 0);
      return;
    }
    SortedSample later = alike.peaks();
    size(later.at(0.5) - last, later.at(0.9) - last, later.at(1) - last);
    SortedSample next = alike.following();
    size(next.at(0.25) - last, next.at(0.5) - last, next.at(0.75) - last);
  }

  private void since(StepsSince since) {
    number(since.maximum(0));
    number(since.rise());
    number(since.fall());
    number(since.recentHigh());
    number(since.atLeast(NEAR_MAXIMUM * extreme(SteppedHistory.MAX_STEPS, 1)));
    number(since.atLeast(values[values.length - 1] + AlikeSteps.SHARE * reference));
  }

  /** Share of steps with a value different from the preceding one. */
  private double changes(int window) {
    int changes = 0;
    for (int i = Math.max(1, from(window)); i < values.length; i++) {
      changes += values[i] == values[i - 1] ? 0 : 1;
    }
    return (double) changes / (values.length - from(window));
  }

  private double meanChange(int from) {
    double sum = 0;
    for (int i = from + 1; i < values.length; i++) {
      sum += Math.abs(values[i] - values[i - 1]);
    }
    return sum / Math.max(1, values.length - 1 - from);
  }

  private int from(int window) {
    return Math.max(0, values.length - window);
  }

  private void sizes(SortedSample quantiles, double... fractions) {
    for (double fraction : fractions) {
      size(quantiles.at(fraction));
    }
  }

  private void size(double... bytes) {
    for (double size : bytes) {
      number(size / reference);
    }
  }

  private void number(double value) {
    numbers[filled++] = (float) value;
  }
}
