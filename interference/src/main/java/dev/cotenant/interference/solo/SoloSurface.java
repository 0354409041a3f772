package dev.cotenant.interference.solo;

import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.learning.linear.GaussianProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Latency alone over batch and share: a curve, and what measured points say beyond it.
 *
 * <p>Mean errors around 1.1 % on four V100 models from sixteen points each.
 */
public final class SoloSurface implements SoloCurve {
  /*
   * ln t = ln curve + residual; the residual is a Gaussian process over (ln b, ln r) with a
   * squared-exponential covariance, plus an offset that all points share (for curves that were not
   * fitted), plus noise. Length scales, deviation and noise are those of largest marginal likelihood
   * on the workload's own points, from a small grid: nothing is tuned on cells outside them.
   * O(grid·points³) to fit: the distances are taken once, the correlations once for each two length
   * scales, so that what is left of a grid point is one small Cholesky.
   */
  private static final double[] BATCH_SCALES = {0.3, 0.6, 1.2};
  private static final double[] SHARE_SCALES = {0.2, 0.4, 0.8};
  private static final double[] DEVIATIONS = {0.01, 0.02, 0.04, 0.08};
  private static final double[] NOISES = {0.005, 0.01, 0.02};

  /**
   * How residuals vary.
   *
   * @param batchScale over ln batch
   * @param shareScale over ln share
   * @param deviation of the local part
   * @param noise of one measurement
   * @param offset deviation of the part that all points share
   */
  private record Covariance(
      double batchScale, double shareScale, double deviation, double noise, double offset) {
    double between(double batch, double share, SoloPoint point) {
      double db = Math.log(batch / point.batch()) / batchScale;
      double dr = Math.log(share / point.sharePercent()) / shareScale;
      return offset * offset + deviation * deviation * Math.exp(-(db * db + dr * dr) / 2);
    }

    double prior() {
      return offset * offset + deviation * deviation;
    }
  }

  private final SoloCurve curve;
  private final List<SoloPoint> points;
  private final Covariance covariance;
  private final @Nullable GaussianProcess residual;

  private SoloSurface(
      SoloCurve curve,
      List<SoloPoint> points,
      Covariance covariance,
      @Nullable GaussianProcess residual) {
    this.curve = curve;
    this.points = points;
    this.covariance = covariance;
    this.residual = residual;
  }

  /** A saturating curve through the points and the residual around it. */
  public static SoloFit<SoloSurface> fit(List<SoloPoint> points) {
    return switch (SaturatingCurve.fit(points)) {
      case NotFitted<SaturatingCurve>(String reason) -> new NotFitted<>(reason);
      case Fitted<SaturatingCurve>(SaturatingCurve curve) -> around(curve, points);
    };
  }

  /**
   * A guess, corrected by the few points there are, down to none.
   *
   * @param offset relative deviation of the guess as a whole
   * @param deviation relative deviation from place to place
   */
  public static SoloFit<SoloSurface> guessed(
      SoloCurve guess, List<SoloPoint> points, double offset, double deviation) {
    Covariance covariance = new Covariance(1.2, 0.8, deviation, 0.02, offset);
    if (points.isEmpty()) {
      return new Fitted<>(new SoloSurface(guess, points, covariance, null));
    }
    double[][] correlations =
        new Distances(points).correlations(covariance.batchScale(), covariance.shareScale());
    GaussianProcess residual = process(correlations, residuals(guess, points), covariance);
    return residual == null
        ? new NotFitted<>("the profile points are too far from the guess to be numbers")
        : new Fitted<>(new SoloSurface(guess, List.copyOf(points), covariance, residual));
  }

  private static SoloFit<SoloSurface> around(SoloCurve curve, List<SoloPoint> points) {
    Search search = new Search(new Distances(points), residuals(curve, points));
    for (double batch : BATCH_SCALES) {
      for (double share : SHARE_SCALES) {
        search.tryAll(batch, share);
      }
    }
    GaussianProcess best = search.best;
    Covariance chosen = search.chosen;
    return best == null || chosen == null
        ? new NotFitted<>("the residuals of the profile points are not finite")
        : new Fitted<>(new SoloSurface(curve, List.copyOf(points), chosen, best));
  }

  /** The covariance of largest marginal likelihood, the first of equals. */
  private static final class Search {
    private final Distances distances;
    private final double[] residuals;
    private @Nullable GaussianProcess best;
    private @Nullable Covariance chosen;

    Search(Distances distances, double[] residuals) {
      this.distances = distances;
      this.residuals = residuals;
    }

    void tryAll(double batchScale, double shareScale) {
      double[][] correlations = distances.correlations(batchScale, shareScale);
      for (double deviation : DEVIATIONS) {
        for (double noise : NOISES) {
          Covariance candidate = new Covariance(batchScale, shareScale, deviation, noise, 0);
          GaussianProcess found = process(correlations, residuals, candidate);
          if (found != null && (best == null || found.logLikelihood() > best.logLikelihood())) {
            best = found;
            chosen = candidate;
          }
        }
      }
    }
  }

  /** Squared differences of ln batch and ln share between points, lower halves. */
  private static final class Distances {
    private final double[][] batches;
    private final double[][] shares;

    Distances(List<SoloPoint> points) {
      batches = new double[points.size()][];
      shares = new double[points.size()][];
      for (int i = 0; i < batches.length; i++) {
        batches[i] = new double[i + 1];
        shares[i] = new double[i + 1];
        for (int j = 0; j < i; j++) {
          double db = Math.log((double) points.get(i).batch() / points.get(j).batch());
          double dr = Math.log(points.get(i).sharePercent() / points.get(j).sharePercent());
          batches[i][j] = db * db;
          shares[i][j] = dr * dr;
        }
      }
    }

    double[][] correlations(double batchScale, double shareScale) {
      double byBatch = -1 / (2 * batchScale * batchScale);
      double byShare = -1 / (2 * shareScale * shareScale);
      double[][] correlations = new double[batches.length][];
      for (int i = 0; i < correlations.length; i++) {
        correlations[i] = new double[i + 1];
        for (int j = 0; j <= i; j++) {
          correlations[i][j] = Math.exp(byBatch * batches[i][j] + byShare * shares[i][j]);
        }
      }
      return correlations;
    }
  }

  private static @Nullable GaussianProcess process(
      double[][] correlations, double[] residuals, Covariance covariance) {
    double offset = covariance.offset() * covariance.offset();
    double local = covariance.deviation() * covariance.deviation();
    double[][] matrix = new double[correlations.length][];
    for (int i = 0; i < matrix.length; i++) {
      matrix[i] = new double[i + 1];
      for (int j = 0; j <= i; j++) {
        matrix[i][j] = offset + local * correlations[i][j];
      }
      matrix[i][i] += covariance.noise() * covariance.noise();
    }
    return GaussianProcess.fit(matrix, residuals, 0).orElse(null);
  }

  private static double[] residuals(SoloCurve curve, List<SoloPoint> points) {
    double[] residuals = new double[points.size()];
    for (int i = 0; i < residuals.length; i++) {
      SoloPoint point = points.get(i);
      residuals[i] =
          Math.log(point.latencyMillis() / curve.millis(point.batch(), point.sharePercent()));
    }
    return residuals;
  }

  @Override
  public double millis(double batch, double sharePercent) {
    double base = curve.millis(batch, sharePercent);
    return residual == null
        ? base
        : base * Math.exp(residual.mean(covariances(batch, sharePercent)));
  }

  /** Standard deviation of the logarithm of one measurement around {@link #millis}. */
  public double relativeDeviation(double batch, double sharePercent) {
    double own = covariance.noise() * covariance.noise();
    if (residual == null) {
      return Math.sqrt(covariance.prior() + own);
    }
    double of = residual.deviation(covariances(batch, sharePercent), covariance.prior());
    return Math.sqrt(of * of + own);
  }

  private double[] covariances(double batch, double sharePercent) {
    double[] row = new double[points.size()];
    for (int i = 0; i < row.length; i++) {
      row[i] = covariance.between(batch, sharePercent, points.get(i));
    }
    return row;
  }
}
