package dev.cotenant.domain.evaluation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One figure of an evaluation. Components are named as the keys under which commands print them.
 *
 * <p>A figure that cannot be computed, such as a coverage of no rows, is left out, never NaN.
 *
 * @param task {@code utilization}, {@code memory}, {@code interference} or {@code forecast}
 * @param protocol which rows were held out and what was learned from
 * @param model what predicted: ours or a baseline
 * @param metric computed metric; its name includes the unit, if any
 * @param value over all seeds (or folds), finite
 * @param sd standard deviation over seeds (or folds), 0 for one
 * @param min smallest over seeds (or folds)
 * @param max largest over seeds (or folds)
 * @param rows test rows of one seed
 * @param seeds how many seeds (or folds), at least 1
 * @param reference what a paper or a simple reference reached; null where there is none
 */
public record EvaluationRow(
    String task,
    String protocol,
    String model,
    String metric,
    double value,
    double sd,
    double min,
    double max,
    int rows,
    int seeds,
    @Nullable Double reference) {
  public EvaluationRow {
    if (!Double.isFinite(value) || !Double.isFinite(sd)) {
      throw new IllegalArgumentException(
          String.join(" ", task, protocol, model, metric) + " must be finite, is " + value);
    }
    if (rows < 0 || seeds < 1) {
      throw new IllegalArgumentException(
          "rows must be at least 0 and seeds at least 1, are " + rows + " and " + seeds);
    }
  }

  /** What a figure is about. */
  public record Subject(String task, String protocol, String model, String metric) {}

  /**
   * The mean of one figure a seed, with its spread (n − 1).
   *
   * @param values one per seed, at least one
   * @param rows test rows of one seed
   */
  public static EvaluationRow overSeeds(
      Subject subject, double[] values, int rows, @Nullable Double reference) {
    double mean = Arrays.stream(values).average().orElseThrow();
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    return new EvaluationRow(
        subject.task,
        subject.protocol,
        subject.model,
        subject.metric,
        mean,
        Math.sqrt(squares / Math.max(1, values.length - 1)),
        Arrays.stream(values).min().orElseThrow(),
        Arrays.stream(values).max().orElseThrow(),
        rows,
        values.length,
        reference);
  }

  /**
   * One value for all seeds, without a reference.
   *
   * @param rows test rows of one seed
   */
  public static EvaluationRow constant(Subject subject, double value, int rows, int seeds) {
    return new EvaluationRow(
        subject.task,
        subject.protocol,
        subject.model,
        subject.metric,
        value,
        0,
        value,
        value,
        rows,
        seeds,
        null);
  }
}
