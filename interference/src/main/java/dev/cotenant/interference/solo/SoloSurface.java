package dev.cotenant.interference.solo;

import dev.cotenant.interference.fit.GaussianProcess;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import java.util.ArrayList;
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
   * O(grid·points³) to fit; sixteen points take about a millisecond.
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

  private static final List<Covariance> GRID = grid();

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
    GaussianProcess residual = process(guess, points, covariance);
    return residual == null
        ? new NotFitted<>("the profile points are too far from the guess to be numbers")
        : new Fitted<>(new SoloSurface(guess, List.copyOf(points), covariance, residual));
  }

  private static SoloFit<SoloSurface> around(SoloCurve curve, List<SoloPoint> points) {
    GaussianProcess best = null;
    Covariance chosen = null;
    for (Covariance candidate : GRID) {
      GaussianProcess found = process(curve, points, candidate);
      if (found != null && (best == null || found.logLikelihood() > best.logLikelihood())) {
        best = found;
        chosen = candidate;
      }
    }
    return best == null || chosen == null
        ? new NotFitted<>("the residuals of the profile points are not finite")
        : new Fitted<>(new SoloSurface(curve, List.copyOf(points), chosen, best));
  }

  private static List<Covariance> grid() {
    List<Covariance> grid = new ArrayList<>();
    for (double batch : BATCH_SCALES) {
      for (double share : SHARE_SCALES) {
        for (double deviation : DEVIATIONS) {
          for (double noise : NOISES) {
            grid.add(new Covariance(batch, share, deviation, noise, 0));
          }
        }
      }
    }
    return grid;
  }

  private static @Nullable GaussianProcess process(
      SoloCurve curve, List<SoloPoint> points, Covariance covariance) {
    int n = points.size();
    double[][] matrix = new double[n][n];
    double[] targets = new double[n];
    for (int i = 0; i < n; i++) {
      SoloPoint point = points.get(i);
      for (int j = 0; j <= i; j++) {
        matrix[i][j] = covariance.between(point.batch(), point.sharePercent(), points.get(j));
      }
      matrix[i][i] += covariance.noise() * covariance.noise();
      targets[i] =
          Math.log(point.latencyMillis() / curve.millis(point.batch(), point.sharePercent()));
    }
    return GaussianProcess.fit(matrix, targets, 0).orElse(null);
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
