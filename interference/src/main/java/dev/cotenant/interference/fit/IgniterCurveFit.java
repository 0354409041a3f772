package dev.cotenant.interference.fit;

import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.interference.solo.SoloFit;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.learning.linear.LeastSquares;
import java.util.List;

/**
 * Fits iGniter's active time k_act(b, r) = (k1·b² + k2·b + k3)/(r + k4) + k5 [iGniter, equation 11]
 * to profile points; eleven are its protocol, six the least.
 */
public final class IgniterCurveFit {
  /*
   * Least squares on the logarithm of the latency, so that short and long batches weigh alike; the
   * paper says least squares and no more. Starts from the linear fit of k1, k2, k3 and k5 at
   * k4 = 0, rows divided by the latency. Deviation: residuals are relative.
   */
  private static final int PARAMETERS = 5;
  private static final double MIN_RATIO = 1e-6;

  private IgniterCurveFit() {}

  /** The coefficients, or why there are none. */
  public static SoloFit<ActiveTime> fit(List<SoloPoint> points) {
    if (points.size() <= PARAMETERS) {
      return new NotFitted<>(
          points.size() + " profile points are too few: at least " + (PARAMETERS + 1));
    }
    double[] linear = LeastSquares.linear(rows(points), ones(points.size())).orElse(null);
    if (linear == null) {
      return new NotFitted<>("the fit is singular: profile more batches and shares");
    }
    double[] start = {linear[0], linear[1], linear[2], 0, linear[3]};
    LeastSquares.Solution found =
        LeastSquares.descend(
                (k, residuals, jacobian) -> evaluate(points, k, residuals, jacobian),
                start,
                points.size(),
                LeastSquares.Stop.EXACT)
            .orElse(null);
    if (found == null) {
      return new NotFitted<>("the fit does not converge");
    }
    double[] k = found.parameters();
    ActiveTime time = new ActiveTime(k[0], k[1], k[2], k[3], k[4]);
    boolean positive =
        points.stream().allMatch(point -> time.millis(point.batch(), point.sharePercent()) > 0);
    return positive
        ? new Fitted<>(time)
        : new NotFitted<>("the fit gives times below 0 at its own points");
  }

  private static double[][] rows(List<SoloPoint> points) {
    double[][] rows = new double[points.size()][];
    for (int i = 0; i < rows.length; i++) {
      SoloPoint point = points.get(i);
      double b = point.batch();
      double scale = point.sharePercent() * point.latencyMillis();
      rows[i] = new double[] {b * b / scale, b / scale, 1 / scale, 1 / point.latencyMillis()};
    }
    return rows;
  }

  private static double[] ones(int count) {
    double[] ones = new double[count];
    java.util.Arrays.fill(ones, 1);
    return ones;
  }

  private static void evaluate(
      List<SoloPoint> points, double[] k, double[] residuals, double[][] jacobian) {
    for (int i = 0; i < residuals.length; i++) {
      SoloPoint point = points.get(i);
      double b = point.batch();
      double share = point.sharePercent() + k[3];
      double work = k[0] * b * b + k[1] * b + k[2];
      double ratio = (work / share + k[4]) / point.latencyMillis();
      double bounded = Math.max(ratio, MIN_RATIO);
      double slope = 1 / (bounded * point.latencyMillis());
      residuals[i] = Math.log(bounded);
      jacobian[i][0] = slope * b * b / share;
      jacobian[i][1] = slope * b / share;
      jacobian[i][2] = slope / share;
      jacobian[i][3] = -slope * work / (share * share);
      jacobian[i][4] = slope;
    }
  }
}
