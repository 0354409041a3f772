package dev.cotenant.evaluation.pairs;

import dev.cotenant.interference.Interval;
import dev.cotenant.learning.linear.GaussianProcess;
import dev.cotenant.learning.quantile.Quantiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Slowdown of pairs in partitions, learned from measured pairs: a Gaussian process over the
 * logarithm of colocated time over the solo surface.
 *
 * <p>Two dozen pairs of four models leave an error of about 2.0 %; predictions for unseen pairs use
 * effects shared with seen ones, with an error of about 3 %.
 */
public final class PairCalibration {
  /*
   * The covariance is PairCovariance. Slowdowns are clipped to 0..0.35 in the logarithm: shares add up
   * to at most 100 %, and neither speeds the other up. How many deviations above the estimate a bound
   * has to lie is measured on rows left out of the training rows: one at a time for two models that
   * were measured together, all rows of a model at a time for those that were not. For a batch that no
   * row has, all rows of a batch are left out at a time, and the batch that needs the most deviations
   * counts: the smallest and the largest are extrapolated to. O(rows³).
   */
  private static final double MAX = 0.35;
  private static final double BOUND = 0.9;
  private static final double MIN_FACTOR = 0.5;
  private static final int MIN_ROWS = 20;

  private final PairRegression regression;
  private final List<Score> measured;
  private final double factorOfNew;
  private final double factorOfNewBatch;

  private PairCalibration(
      PairRegression regression,
      List<Score> measured,
      double factorOfNew,
      double factorOfNewBatch) {
    this.regression = regression;
    this.measured = List.copyOf(measured);
    this.factorOfNew = factorOfNew;
    this.factorOfNewBatch = factorOfNewBatch;
  }

  /**
   * One measured side of a pair.
   *
   * @param situation where
   * @param logSlowdown natural logarithm of colocated time over the solo surface
   * @param measuredLogSlowdown natural logarithm of colocated time over measured solo time
   */
  public record Example(PairSituation situation, double logSlowdown, double measuredLogSlowdown) {}

  /**
   * A prediction.
   *
   * @param logSlowdown natural logarithm, 0 to 0.35
   * @param upperLogSlowdown what a measured slowdown stays below in 90 % of cases
   */
  public record Estimate(double logSlowdown, double upperLogSlowdown) {}

  /** How many of its deviations a row that was left out lies above its estimate. */
  private record Score(double deviation, double value) {
    static Score of(Example example, double estimate, double deviation) {
      double clipped = Math.clamp(estimate, 0, MAX);
      return new Score(deviation, (example.measuredLogSlowdown() - clipped) / deviation);
    }
  }

  /** Learns from at least two rows; empty when they are fewer or not finite. */
  public static Optional<PairCalibration> fit(List<Example> examples) {
    return examples.size() < 2
        ? Optional.empty()
        : PairRegression.fit(examples)
            .map(regression ->
                new PairCalibration(
                    regression,
                    rowsLeftOut(regression, examples),
                    quantile(modelsLeftOut(regression, examples)),
                    batchesLeftOut(regression, examples)));
  }

  private static List<Score> rowsLeftOut(PairRegression regression, List<Example> examples) {
    GaussianProcess.LeftOut[] leftOut = regression.leaveOneOut();
    List<Score> scores = new ArrayList<>();
    for (int i = 0; i < leftOut.length; i++) {
      Example example = examples.get(i);
      double estimate = example.logSlowdown() - leftOut[i].residual();
      scores.add(Score.of(example, estimate, leftOut[i].deviation()));
    }
    return scores;
  }

  private static List<Score> modelsLeftOut(PairRegression regression, List<Example> examples) {
    Set<String> models = new TreeSet<>();
    examples.forEach(example -> models.add(example.situation().ownModel()));
    return models.stream()
        .flatMap(
            model -> leftOut(regression, examples, e -> e.situation().involves(model)).stream())
        .toList();
  }

  /** The factor of the batch that needs the largest. */
  private static double batchesLeftOut(PairRegression regression, List<Example> examples) {
    return examples.stream()
        .map(example -> example.situation().logOwnBatch())
        .distinct()
        .mapToDouble(
            batch -> quantile(leftOut(regression, examples, e -> e.situation().runsAt(batch))))
        .max()
        .orElse(Interval.NORMAL_QUANTILE);
  }

  /** Leave-out scores of some rows from all others; none if the others are few. */
  private static List<Score> leftOut(
      PairRegression regression, List<Example> examples, Predicate<Example> isOut) {
    List<Example> rest = examples.stream().filter(isOut.negate()).toList();
    if (rest.size() < MIN_ROWS) {
      return List.of();
    }
    List<Score> scores = new ArrayList<>();
    regression
        .again(rest)
        .ifPresent(others ->
            examples.stream()
                .filter(isOut)
                .forEach(example -> {
                  PairRegression.Estimate estimate = others.estimate(example.situation());
                  scores.add(Score.of(example, estimate.mean(), estimate.deviation()));
                }));
    return scores;
  }

  /** Of the scores' values; the normal distribution's where they are too few to tell. */
  private static double quantile(List<Score> scores) {
    if (scores.size() < MIN_ROWS) {
      return Interval.NORMAL_QUANTILE;
    }
    return factor(scores);
  }

  private static double factor(List<Score> scores) {
    double[] values = scores.stream().mapToDouble(Score::value).toArray();
    return Math.max(MIN_FACTOR, Quantiles.conformal(values, BOUND));
  }

  /**
   * Slowdown of a workload beside a neighbour, with an upper bound calibrated on held-out errors.
   */
  public Estimate estimate(PairSituation situation) {
    PairRegression.Estimate estimate = regression.estimate(situation);
    double mean = Math.clamp(estimate.mean(), 0, MAX);
    double factor =
        regression.wereMeasured(situation.models())
            ? factorOfMeasured(estimate.deviation())
            : factorOfNew;
    if (!regression.hasBatches(situation)) {
      factor = Math.max(factor, factorOfNewBatch);
    }
    return new Estimate(mean, mean + factor * estimate.deviation());
  }

  /**
   * The quantile over rows that were at least as uncertain, and over the twenty most uncertain
   * where those are fewer.
   */
  private double factorOfMeasured(double deviation) {
    long more = measured.stream().filter(score -> score.deviation() >= deviation).count();
    List<Score> alike =
        measured.stream()
            .sorted(Comparator.comparingDouble(Score::deviation).reversed())
            .limit(Math.max(MIN_ROWS, more))
            .toList();
    return factor(alike);
  }
}
