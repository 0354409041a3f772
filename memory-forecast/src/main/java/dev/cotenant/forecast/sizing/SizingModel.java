package dev.cotenant.forecast.sizing;

import dev.cotenant.learning.trees.BoostedTrees;
import org.jspecify.annotations.Nullable;

/**
 * What suffices for the next window, given the last one.
 *
 * @param probability that what it states suffices, where the next window is exchangeable with those
 *     it was learned from; below the level where they are too few
 * @param factor of the peak where nothing else is learned
 * @param spread what is learned of single windows; null without
 */
public record SizingModel(double probability, double factor, @Nullable Spread spread) {
  /**
   * Trees of the logarithm of the ratio of the next peak to the last.
   *
   * @param upper its quantile of the level
   * @param median its median
   * @param margin added to the quantile, in units of its distance from the median
   */
  record Spread(BoostedTrees upper, BoostedTrees median, double margin) {
    private static final double MIN_DISTANCE = 0.02;

    double rise(float[] features) {
      double bound = upper.predict(features);
      return bound + margin * distance(bound, median.predict(features));
    }

    static double distance(double upper, double median) {
      return Math.max(MIN_DISTANCE, upper - median);
    }
  }

  /** Upper bound for the next window in bytes; may exceed the device's memory. */
  public double bytes(UsedWindow past) {
    return past.peak() * (spread == null ? factor : Math.exp(spread.rise(past.features())));
  }
}
