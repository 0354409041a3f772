package dev.cotenant.evaluation;

import dev.cotenant.learning.quantile.SortedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/**
 * Measured values with predictions or bounds, in one unit.
 *
 * <p>Every mean is NaN where there is no pair.
 */
public final class Scores {
  private final List<double[]> pairs = new ArrayList<>();

  /** Adds one pair. */
  public void add(double actual, double predicted) {
    pairs.add(new double[] {actual, predicted});
  }

  /** Adds the pairs of another. */
  public void addAll(Scores more) {
    pairs.addAll(more.pairs);
  }

  public int size() {
    return pairs.size();
  }

  public boolean isEmpty() {
    return pairs.isEmpty();
  }

  /** The mean of a score of each pair, such as {@link #absolute}. */
  public double mean(DoubleBinaryOperator score) {
    return pairs.stream()
        .mapToDouble(pair -> score.applyAsDouble(pair[0], pair[1]))
        .average()
        .orElse(Double.NaN);
  }

  /** The root of the mean squared difference. */
  public double rootMeanSquare() {
    return Math.sqrt(mean((actual, predicted) -> (predicted - actual) * (predicted - actual)));
  }

  /** A quantile of a score of each pair; of at least one pair. */
  public double quantile(DoubleBinaryOperator score, double fraction) {
    return new SortedSample(
            pairs.stream().mapToDouble(pair -> score.applyAsDouble(pair[0], pair[1])).toArray())
        .at(fraction);
  }

  /** The absolute error as a fraction of the measured value. */
  public static double relative(double actual, double predicted) {
    return Math.abs(predicted / actual - 1);
  }

  public static double absolute(double actual, double predicted) {
    return Math.abs(predicted - actual);
  }

  /** 1 where an upper bound holds, else 0. */
  public static double held(double actual, double bound) {
    return actual <= bound ? 1 : 0;
  }

  /** The pinball loss of a bound as a quantile of the measured value. */
  public static double pinball(double actual, double bound, double quantile) {
    return actual >= bound ? quantile * (actual - bound) : (1 - quantile) * (bound - actual);
  }
}
