package dev.cotenant.interference.solo;

import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.learning.linear.LeastSquares;
import java.util.List;
import java.util.Optional;

/**
 * Latency alone as the p-norm of a floor and of work over share, plus a cost a sample.
 *
 * <p>Monotone: more samples never take less time, a larger share never more. Mean errors around 1.4
 * % on four V100 models from sixteen points.
 *
 * @param floorMillis t0, what no share makes faster
 * @param workPerSample k2
 * @param work k3
 * @param shareExponent e
 * @param millisPerSample k5, time outside the partition
 * @param norm p, how sharply floor and work meet
 */
public record SaturatingCurve(
    double floorMillis,
    double workPerSample,
    double work,
    double shareExponent,
    double millisPerSample,
    double norm)
    implements SoloCurve {
  /*
   * t(b, r) = (t0^p + ((k2·b + k3) / r^e)^p)^(1/p) + k5·b, not from a paper. iGniter's form
   * [section 3.1, equation 11] adds floor and work; here the larger of both rules and p says how
   * gradually. Fitted in the logarithms of all six parameters to the logarithm of the latency by
   * Levenberg-Marquardt with exact derivatives, residuals e softened to
   * c·sqrt(2(sqrt(1 + (e/c)²) − 1)) with c = 0.05, from six starts (t0 of 0.3 and 0.8 of the least
   * latency, p of 1, 2 and 4); the least cost wins, the first of equals. O(starts·steps·points).
   */
  private static final int PARAMETERS = 6;
  private static final double SOFT = 0.05;
  private static final double[] FLOOR_STARTS = {0.3, 0.8};
  private static final double[] NORM_STARTS = {1, 2, 4};
  private static final LeastSquares.Stop ROUGH = new LeastSquares.Stop(300, 1e-2, 0);
  private static final double BOUND = 40;

  @Override
  public double millis(double batch, double sharePercent) {
    double work = (workPerSample * batch + this.work) / Math.pow(sharePercent, shareExponent);
    double larger = Math.max(floorMillis, work);
    double smaller = Math.min(floorMillis, work);
    return larger * Math.pow(1 + Math.pow(smaller / larger, norm), 1 / norm)
        + millisPerSample * batch;
  }

  /** Fits at least seven points with at least two batches and two shares. */
  public static SoloFit<SaturatingCurve> fit(List<SoloPoint> points) {
    Optional<String> objection = objection(points);
    if (objection.isPresent()) {
      return new NotFitted<>(objection.get());
    }
    return descend(points)
        .<SoloFit<SaturatingCurve>>map(end -> new Fitted<>(ofLogarithms(end.parameters())))
        .orElseGet(() -> new NotFitted<>("the points determine no curve"));
  }

  private static Optional<LeastSquares.Solution> descend(List<SoloPoint> points) {
    Problem problem = new Problem(points);
    LeastSquares.Solution best = null;
    for (double floor : FLOOR_STARTS) {
      for (double norm : NORM_STARTS) {
        double[] start = start(points, floor, norm);
        LeastSquares.Solution found =
            LeastSquares.descend(problem, start, points.size(), ROUGH).orElse(null);
        if (found != null && (best == null || found.cost() < best.cost())) {
          best = found;
        }
      }
    }
    return best == null
        ? Optional.empty()
        : LeastSquares.descend(problem, best.parameters(), points.size(), LeastSquares.Stop.EXACT);
  }

  private static Optional<String> objection(List<SoloPoint> points) {
    if (points.size() <= PARAMETERS) {
      return Optional.of(
          points.size() + " profile points are too few: at least " + (PARAMETERS + 1));
    }
    if (points.stream().map(SoloPoint::batch).distinct().count() < 2
        || points.stream().map(SoloPoint::sharePercent).distinct().count() < 2) {
      return Optional.of("the profile points must differ in batch and in share");
    }
    return Optional.empty();
  }

  private static double[] start(List<SoloPoint> points, double floor, double norm) {
    double least = Double.POSITIVE_INFINITY;
    double perSample = Double.POSITIVE_INFINITY;
    for (SoloPoint point : points) {
      least = Math.min(least, point.latencyMillis());
      perSample = Math.min(perSample, point.latencyMillis() * point.sharePercent() / point.batch());
    }
    return new double[] {
      Math.log(floor * least),
      Math.log(perSample),
      Math.log(0.2 * perSample),
      0,
      Math.log(0.001),
      Math.log(norm)
    };
  }

  private static SaturatingCurve ofLogarithms(double[] q) {
    double[] p = new double[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) {
      p[i] = Math.exp(Math.clamp(q[i], -BOUND, BOUND));
    }
    return new SaturatingCurve(p[0], p[1], p[2], p[3], p[4], p[5]);
  }

  /** The points in logarithms, taken once, and the residuals of a curve at them. */
  private static final class Problem implements LeastSquares.Residuals {
    private final double[] batches;
    private final double[] logShares;
    private final double[] logLatencies;

    Problem(List<SoloPoint> points) {
      batches = points.stream().mapToDouble(SoloPoint::batch).toArray();
      logShares = points.stream().mapToDouble(p -> Math.log(p.sharePercent())).toArray();
      logLatencies = points.stream().mapToDouble(p -> Math.log(p.latencyMillis())).toArray();
    }

    @Override
    public void evaluate(double[] q, double[] residuals, double[][] jacobian) {
      SaturatingCurve curve = ofLogarithms(q);
      double logFloor = Math.log(curve.floorMillis);
      for (int i = 0; i < residuals.length; i++) {
        double[] row = jacobian[i];
        double total = curve.derivatives(batches[i], logShares[i], logFloor, row);
        double error = Math.log(total) - logLatencies[i];
        double soft = Math.sqrt(1 + error * error / (SOFT * SOFT));
        double softened = SOFT * Math.sqrt(2 * (soft - 1)) * Math.signum(error);
        double slope = softened == 0 ? 1 : error / (soft * softened);
        residuals[i] = softened;
        for (int j = 0; j < PARAMETERS; j++) {
          row[j] *= slope / total;
        }
      }
    }
  }

  /** The latency at a point; {@code row} receives its derivatives by the parameters' logarithms. */
  private double derivatives(double batch, double logShare, double logFloor, double[] row) {
    double sum = workPerSample * batch + work;
    double logWork = Math.log(sum) - shareExponent * logShare;
    double logLarger = Math.max(logFloor, logWork);
    double gap = Math.abs(logFloor - logWork);
    double smaller = Math.exp(-norm * gap);
    double logTotal = Math.log(1 + smaller);
    double joined = Math.exp(logLarger + logTotal / norm);
    double largerShare = 1 / (1 + smaller);
    double workShare = logWork > logFloor ? largerShare : 1 - largerShare;
    double byWork = joined * workShare;
    row[0] = joined - byWork;
    row[1] = byWork * workPerSample * batch / sum;
    row[2] = byWork * work / sum;
    row[3] = -byWork * shareExponent * logShare;
    row[4] = millisPerSample * batch;
    row[5] = -joined * ((1 - largerShare) * gap + logTotal / norm);
    return joined + millisPerSample * batch;
  }
}
