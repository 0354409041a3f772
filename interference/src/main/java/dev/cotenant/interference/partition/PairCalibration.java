package dev.cotenant.interference.partition;

import dev.cotenant.interference.fit.GaussianProcess;
import dev.cotenant.interference.fit.Standardisation;
import java.util.List;
import java.util.Optional;

/**
 * Slowdown of pairs in partitions, learnt from measured pairs: a Gaussian process over the logarithm
 * of colocated time over the solo surface.
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

  private final List<PairSituation> situations;
  private final Standardisation standard;
  private final double[][] standardised;
  private final GaussianProcess process;

  private PairCalibration(
      List<PairSituation> situations,
      Standardisation standard,
      double[][] standardised,
      GaussianProcess process) {
    this.situations = situations;
    this.standard = standard;
    this.standardised = standardised;
    this.process = process;
  }

  /**
   * One measured side of a pair.
   *
   * @param situation where
   * @param logSlowdown natural logarithm of colocated time over the solo surface
   */
  public record Example(PairSituation situation, double logSlowdown) {}

  /**
   * A prediction.
   *
   * @param logSlowdown natural logarithm, 0 to 0.35
   * @param deviation standard deviation of one measurement around it
   */
  public record Estimate(double logSlowdown, double deviation) {}

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
        .map(process -> new PairCalibration(situations, standard, rows, process));
  }

  /** The slowdown of one workload beside another. */
  public Estimate estimate(PairSituation situation) {
    double[] row = standard.apply(situation.contention());
    double[] covariances = new double[situations.size()];
    for (int i = 0; i < covariances.length; i++) {
      covariances[i] = covariance(situation, row, situations.get(i), standardised[i]);
    }
    double own = covariance(situation, row, situation, row);
    double deviation = process.deviation(covariances, own);
    return new Estimate(
        Math.clamp(process.mean(covariances), 0, MOST),
        Math.sqrt(deviation * deviation + NOISE_VARIANCE));
  }

  private static double covariance(
      PairSituation a, double[] rowA, PairSituation b, double[] rowB) {
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
