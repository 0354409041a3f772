package dev.cotenant.interference.partition;

import dev.cotenant.interference.fit.GaussianProcess;
import dev.cotenant.interference.fit.Standardisation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Slowdown of pairs in partitions, learnt from measured pairs: a Gaussian process over the
 * logarithm of colocated time over the solo surface.
 *
 * <p>Two dozen pairs of four models leave an error of about 2.1 %; pairs of models that it has not
 * seen come from what they have in common with others, about 3 %.
 */
public final class PairCalibration {
  /*
   * Covariance = 4e-5·z·z' over standardised contention (close to a ridge regression)
   *            + 0.02²·k over (ln t_own, ln t_other, ln share): alike workloads suffer alike
   *            + 0.03²·[same two models]·k over (ln b_own, ln share, ln b_other)
   *            + 0.02² noise, k squared-exponential with the scales below.
   * The amplitudes are round numbers near the maximum of the marginal likelihood; within a factor of
   * two of them errors change by less than 0.3 points. Slowdowns are clipped to 0..0.35 in the
   * logarithm: shares add up to at most 100 %, and neither speeds the other up. O(rows³).
   */
  private static final double LINEAR_VARIANCE = 4e-5;
  private static final double ALIKE_VARIANCE = 0.02 * 0.02;
  private static final double PAIR_VARIANCE = 0.03 * 0.03;
  private static final double NOISE_VARIANCE = 0.02 * 0.02;
  private static final double SHARE_SCALE = 0.7;
  private static final double MOST = 0.35;
  private static final double BOUND = 0.9;
  private static final double NORMAL_QUANTILE = 1.2815515655446004;
  private static final double LEAST_FACTOR = 0.5;
  private static final int LEAST_ROWS = 20;

  private final List<PairSituation> situations;
  private final Standardisation standard;
  private final double[][] standardised;
  private final Fit fit;

  private PairCalibration(
      List<PairSituation> situations, Standardisation standard, double[][] standardised, Fit fit) {
    this.situations = situations;
    this.standard = standard;
    this.standardised = standardised;
    this.fit = fit;
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
   * @param deviation standard deviation of one measurement around it
   * @param upperLogSlowdown what a measured slowdown stays below in 90 % of cases
   */
  public record Estimate(double logSlowdown, double deviation, double upperLogSlowdown) {}

  /** Learns from at least two rows; empty when they are fewer or not finite. */
  public static Optional<PairCalibration> fit(List<Example> examples) {
    int n = examples.size();
    if (n < 2) {
      return Optional.empty();
    }
    List<PairSituation> situations = examples.stream().map(Example::situation).toList();
    double[][] contention =
        situations.stream().map(PairSituation::contention).toArray(double[][]::new);
    Standardisation standard = Standardisation.of(contention);
    double[][] rows = standard.apply(contention);
    double[][] covariance = new double[n][n];
    double[] targets = new double[n];
    double mean = 0;
    for (int i = 0; i < n; i++) {
      targets[i] = examples.get(i).logSlowdown();
      mean += targets[i] / n;
      for (int j = 0; j <= i; j++) {
        covariance[i][j] = covariance(situations.get(i), rows[i], situations.get(j), rows[j]);
      }
      covariance[i][i] += NOISE_VARIANCE;
    }
    return GaussianProcess.fit(covariance, targets, mean)
        .map(process ->
            new PairCalibration(
                situations, standard, rows, new Fit(process, scores(process, examples))));
  }

  /** Each row as the others see it: its deviation, and how many of them its slowdown lies above. */
  private static List<Score> scores(GaussianProcess process, List<Example> examples) {
    GaussianProcess.LeftOut[] leftOut = process.leaveOneOut();
    List<Score> scores = new ArrayList<>();
    for (int i = 0; i < leftOut.length; i++) {
      Example example = examples.get(i);
      double deviation = leftOut[i].deviation();
      double estimate = Math.clamp(example.logSlowdown() - leftOut[i].residual(), 0, MOST);
      scores.add(new Score(deviation, (example.measuredLogSlowdown() - estimate) / deviation));
    }
    return scores;
  }

  private record Score(double deviation, double value) {}

  /** The process and what it says of its own rows. */
  private record Fit(GaussianProcess process, List<Score> scores) {
    /**
     * How many deviations above the estimate 90 % of slowdowns lie: the quantile over rows, left
     * out, that were at least as uncertain, and over the twenty most uncertain where those are
     * fewer. The normal distribution's for models that were never measured together.
     */
    double boundFactor(double deviation) {
      long more = scores.stream().filter(score -> score.deviation() >= deviation).count();
      double[] alike =
          scores.stream()
              .sorted(Comparator.comparingDouble(Score::deviation).reversed())
              .limit(Math.max(LEAST_ROWS, more))
              .mapToDouble(Score::value)
              .sorted()
              .toArray();
      int place = (int) Math.ceil(BOUND * (alike.length + 1)) - 1;
      return Math.max(LEAST_FACTOR, alike[Math.min(place, alike.length - 1)]);
    }
  }

  /** The slowdown of one workload beside another. */
  public Estimate estimate(PairSituation situation) {
    double[] row = standard.apply(situation.contention());
    double[] covariances = new double[situations.size()];
    for (int i = 0; i < covariances.length; i++) {
      covariances[i] = covariance(situation, row, situations.get(i), standardised[i]);
    }
    double own = covariance(situation, row, situation, row);
    double deviation = fit.process().deviation(covariances, own);
    double total = Math.sqrt(deviation * deviation + NOISE_VARIANCE);
    double mean = Math.clamp(fit.process().mean(covariances), 0, MOST);
    double factor = wereMeasured(situation.models()) ? fit.boundFactor(total) : NORMAL_QUANTILE;
    return new Estimate(mean, total, mean + factor * total);
  }

  private boolean wereMeasured(String models) {
    return situations.stream().anyMatch(situation -> situation.models().equals(models));
  }

  private static double covariance(PairSituation a, double[] rowA, PairSituation b, double[] rowB) {
    double linear = 0;
    for (int i = 0; i < rowA.length; i++) {
      linear += rowA[i] * rowB[i];
    }
    double share = (a.logShare() - b.logShare()) / SHARE_SCALE;
    double own = a.logOwnMillis() - b.logOwnMillis();
    double other = a.logOtherMillis() - b.logOtherMillis();
    double alike = Math.exp(-(own * own + other * other + share * share) / 2);
    double total = LINEAR_VARIANCE * linear + ALIKE_VARIANCE * alike;
    if (a.models().equals(b.models())) {
      double ownBatch = a.logOwnBatch() - b.logOwnBatch();
      double otherBatch = a.logOtherBatch() - b.logOtherBatch();
      total +=
          PAIR_VARIANCE
              * Math.exp(-(ownBatch * ownBatch + otherBatch * otherBatch + share * share) / 2);
    }
    return total;
  }
}
