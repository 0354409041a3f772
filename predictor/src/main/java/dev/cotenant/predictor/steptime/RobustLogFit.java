package dev.cotenant.predictor.steptime;

import dev.cotenant.learning.linear.LeastSquares;
import java.util.Arrays;
import java.util.function.Function;

/**
 * Fits positive coefficients, in logarithms, to log residuals: least squares in which large
 * residuals count as their square root and coefficients are pulled to prior ones.
 *
 * @param prior logarithms of the prior coefficients
 * @param pulls weight of each coefficient's log distance from the prior, in residuals of one run
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere, copied
record RobustLogFit(double[] prior, double[] pulls) {
  /** Log residual beyond which a run counts less. */
  private static final double ROBUST = 0.1;

  private static final int REWEIGHTINGS = 3;
  private static final double STEP = 1e-4;
  private static final LeastSquares.Stop STOP = new LeastSquares.Stop(60, 1e-6, 1e-6);

  /** Farther from the prior than this no coefficient is tried. */
  private static final double FARTHEST = 20;

  RobustLogFit {
    prior = prior.clone();
    pulls = pulls.clone();
  }

  /** All coefficients are pulled alike. */
  static RobustLogFit pulledAlike(double[] prior, double pull) {
    double[] pulls = new double[prior.length];
    Arrays.fill(pulls, pull);
    return new RobustLogFit(prior, pulls);
  }

  /** The logarithms that fit best; where a fit does not exist, the best before it. */
  double[] fit(Function<double[], double[]> residuals) {
    double[] logs = prior;
    for (int i = 0; i < REWEIGHTINGS; i++) {
      double[] weights = weights(residuals.apply(logs));
      logs =
          LeastSquares.descend(
                  (at, values, jacobian) ->
                      evaluate(new Problem(residuals, weights), at, values, jacobian),
                  logs,
                  weights.length + prior.length,
                  STOP)
              .map(LeastSquares.Solution::parameters)
              .orElse(logs);
    }
    return logs;
  }

  private record Problem(Function<double[], double[]> residuals, double[] weights) {
    double[] at(double[] logs) {
      return residuals.apply(logs);
    }
  }

  private static double[] weights(double[] residuals) {
    return Arrays.stream(residuals)
        .map(residual -> 1 / Math.sqrt(Math.hypot(1, residual / ROBUST)))
        .toArray();
  }

  private void evaluate(Problem problem, double[] given, double[] residuals, double[][] jacobian) {
    double[] logs = given.clone();
    for (int i = 0; i < logs.length; i++) {
      logs[i] = Math.clamp(logs[i], prior[i] - FARTHEST, prior[i] + FARTHEST);
    }
    double[] at = problem.at(logs);
    for (int parameter = 0; parameter < logs.length; parameter++) {
      double[] moved = logs.clone();
      moved[parameter] += STEP;
      double[] beside = problem.at(moved);
      for (int run = 0; run < at.length; run++) {
        jacobian[run][parameter] = problem.weights[run] * (beside[run] - at[run]) / STEP;
      }
      residuals[at.length + parameter] = pulls[parameter] * (logs[parameter] - prior[parameter]);
      jacobian[at.length + parameter][parameter] = pulls[parameter];
    }
    for (int run = 0; run < at.length; run++) {
      residuals[run] = problem.weights[run] * at[run];
    }
  }
}
