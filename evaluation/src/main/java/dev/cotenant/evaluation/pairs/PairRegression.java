package dev.cotenant.evaluation.pairs;

import dev.cotenant.evaluation.pairs.PairCalibration.Example;
import dev.cotenant.learning.linear.GaussianProcess;
import dev.cotenant.learning.linear.Standardisation;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The Gaussian process of {@link PairCalibration}, without bounds. */
final class PairRegression {
  private final List<PairCovariance.PairPoint> places;
  private final Standardisation standard;
  private final PairCovariance covariance;
  private final GaussianProcess process;

  private PairRegression(
      List<PairCovariance.PairPoint> places,
      Standardisation standard,
      PairCovariance covariance,
      GaussianProcess process) {
    this.places = places;
    this.standard = standard;
    this.covariance = covariance;
    this.process = process;
  }

  /** With the maximum-likelihood covariance; at least two rows. */
  static Optional<PairRegression> fit(List<Example> examples) {
    Standardisation standard = standard(examples);
    List<PairCovariance.PairPoint> places = places(examples, standard);
    double[] targets = targets(examples);
    return fit(places, standard, PairCovariance.likeliest(places, targets, mean(targets)), targets);
  }

  /** The same covariance fitted to different rows. */
  Optional<PairRegression> again(List<Example> examples) {
    Standardisation theirs = standard(examples);
    return fit(places(examples, theirs), theirs, covariance, targets(examples));
  }

  private static Optional<PairRegression> fit(
      List<PairCovariance.PairPoint> places,
      Standardisation standard,
      PairCovariance covariance,
      double[] targets) {
    double[][] matrix = new double[places.size()][];
    for (int i = 0; i < matrix.length; i++) {
      matrix[i] = new double[i + 1];
      for (int j = 0; j <= i; j++) {
        matrix[i][j] = covariance.between(places.get(i), places.get(j));
      }
      matrix[i][i] += covariance.noise();
    }
    return GaussianProcess.fit(matrix, targets, mean(targets))
        .map(process -> new PairRegression(places, standard, covariance, process));
  }

  private static Standardisation standard(List<Example> examples) {
    return Standardisation.of(
        examples.stream().map(e -> e.situation().contention()).toArray(double[][]::new));
  }

  private static List<PairCovariance.PairPoint> places(
      List<Example> examples, Standardisation standard) {
    return examples.stream().map(e -> place(e.situation(), standard)).toList();
  }

  private static PairCovariance.PairPoint place(PairSituation situation, Standardisation standard) {
    return new PairCovariance.PairPoint(situation, standard.apply(situation.contention()));
  }

  private static double[] targets(List<Example> examples) {
    return examples.stream().mapToDouble(Example::logSlowdown).toArray();
  }

  private static double mean(double[] targets) {
    return Arrays.stream(targets).average().orElse(0);
  }

  /**
   * Estimate of the logarithm of the slowdown.
   *
   * @param mean unclipped
   * @param deviation of one measurement around it
   */
  record Estimate(double mean, double deviation) {}

  Estimate estimate(PairSituation situation) {
    PairCovariance.PairPoint place = place(situation, standard);
    double[] covariances = new double[places.size()];
    for (int i = 0; i < covariances.length; i++) {
      covariances[i] = covariance.between(place, places.get(i));
    }
    double deviation = process.deviation(covariances, covariance.between(place, place));
    return new Estimate(
        process.mean(covariances), Math.sqrt(deviation * deviation + covariance.noise()));
  }

  /** Leave-one-out residuals of all rows. */
  GaussianProcess.LeftOut[] leaveOneOut() {
    return process.leaveOneOut();
  }

  /** Whether the rows contain both batches. */
  boolean hasBatches(PairSituation situation) {
    return isKnown(situation.logOwnBatch()) && isKnown(situation.logOtherBatch());
  }

  private boolean isKnown(double logBatch) {
    return places.stream().anyMatch(place -> place.situation().runsAt(logBatch));
  }

  boolean wereMeasured(String models) {
    return places.stream().anyMatch(place -> place.situation().models().equals(models));
  }
}
