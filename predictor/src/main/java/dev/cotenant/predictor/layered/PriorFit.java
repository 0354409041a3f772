package dev.cotenant.predictor.layered;

import java.util.List;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.RealVector;
import org.hipparchus.optim.ConvergenceChecker;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresBuilder;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LeastSquaresProblem;
import org.hipparchus.optim.nonlinear.vector.leastsquares.LevenbergMarquardtOptimizer;
import org.hipparchus.optim.nonlinear.vector.leastsquares.MultivariateJacobianFunction;
import org.hipparchus.util.Pair;

/**
 * Fits a {@link Prior} to measured runs: least squares on the target's logarithm over the
 * logarithms of the coefficients, which are drawn to an earlier belief.
 *
 * <p>The pull matters where rows do not tell coefficients apart: without it a fit to one family is
 * an order of magnitude off on another.
 */
final class PriorFit {
  /** Root of the weight of the belief; ten times less lets families drift apart. */
  private static final double PULL = 0.05;

  private static final int MOST_EVALUATIONS = 500;
  private static final double ENOUGH = 1e-7;

  private final Prior belief;

  /**
   * @param belief what the coefficients are drawn to
   */
  PriorFit(Prior belief) {
    this.belief = belief;
  }

  /**
   * @param runs at least one
   * @param logs the target's logarithm of each
   * @param weights how much each counts, above 0
   */
  Prior fit(List<Run> runs, double[] logs, double[] weights) {
    double[] roots = rootShares(weights);
    double[] centre = belief.logarithms();
    ConvergenceChecker<LeastSquaresProblem.Evaluation> settled =
        (iteration, before, after) ->
            Math.abs(before.getCost() - after.getCost()) <= ENOUGH * before.getCost();
    LeastSquaresProblem problem =
        new LeastSquaresBuilder()
            .model(misses(runs, logs, roots, centre))
            .target(new double[runs.size() + centre.length])
            .start(centre)
            .checker(settled)
            .maxEvaluations(MOST_EVALUATIONS)
            .maxIterations(MOST_EVALUATIONS)
            .build();
    return belief.withLogarithms(
        new LevenbergMarquardtOptimizer().optimize(problem).getPoint().toArray());
  }

  private static double[] rootShares(double[] weights) {
    double sum = 0;
    for (double weight : weights) {
      sum += weight;
    }
    double[] roots = new double[weights.length];
    for (int i = 0; i < roots.length; i++) {
      roots[i] = Math.sqrt(weights[i] / sum);
    }
    return roots;
  }

  private MultivariateJacobianFunction misses(
      List<Run> runs, double[] logs, double[] roots, double[] centre) {
    double pull = PULL / Math.sqrt(centre.length);
    return (RealVector point) -> {
      double[] logarithms = point.toArray();
      Prior prior = belief.withLogarithms(logarithms);
      int rows = runs.size();
      double[] misses = new double[rows + centre.length];
      double[][] slopes = new double[misses.length][centre.length];
      for (int i = 0; i < rows; i++) {
        misses[i] = roots[i] * (prior.log(runs.get(i)) - logs[i]);
        double[] gradient = prior.gradient(runs.get(i));
        for (int k = 0; k < centre.length; k++) {
          slopes[i][k] = roots[i] * gradient[k];
        }
      }
      for (int k = 0; k < centre.length; k++) {
        misses[rows + k] = pull * (logarithms[k] - centre[k]);
        slopes[rows + k][k] = pull;
      }
      return new Pair<>(
          new ArrayRealVector(misses, false), new Array2DRowRealMatrix(slopes, false));
    };
  }
}
