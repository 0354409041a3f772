package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.learning.linear.LeastSquares;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import java.util.List;

/**
 * Fits a {@link Prior} to measured runs: least squares on the target's logarithm over the
 * logarithms of the coefficients, which are drawn to an earlier belief.
 *
 * <p>The prior belief matters for coefficients that rows cannot separate: without it, a fit to one
 * family is an order of magnitude off on a different family.
 */
final class PriorFit {
  /** Root of the weight of the belief; ten times less lets families drift apart. */
  private static final double PULL = 0.05;

  /**
   * With this many models the belief weighs twice as much as with very many. All batches of one
   * model count as one observation of effects common to models.
   */
  private static final double FEW_MODELS = 20;

  /** Two runs of the same thing differ by about this much, in the logarithm. */
  private static final double MIN_UNCERTAINTY = 0.01;

  private static final LeastSquares.Stop STOP = new LeastSquares.Stop(500, 1e-10, 1e-7);

  private final Prior belief;

  /**
   * @param belief prior belief about the coefficients
   */
  PriorFit(Prior belief) {
    this.belief = belief;
  }

  /**
   * @param runs at least one
   * @param logs the target's logarithm of each
   * @param weights how much each counts, above 0
   */
  ParameterUncertainty fit(List<Run> runs, double[] logs, double[] weights) {
    double[] centre = belief.logarithms();
    LeastSquares.Residuals misses =
        misses(new Rows(runs, logs, rootShares(weights)), centre, pulls(runs));
    return LeastSquares.descend(misses, centre, runs.size() + centre.length, STOP)
        .map(best -> uncertainty(best, runs.size()))
        .orElseThrow(() -> new IllegalStateException("the prior's fit does not end"));
  }

  /** Weight of the belief in each coefficient, as a root. */
  private double[] pulls(List<Run> runs) {
    long models = runs.stream().map(PriorFit::identity).distinct().count();
    double[] pulls = belief.deviations();
    double weight = PULL * PULL * (1 + FEW_MODELS / models) / pulls.length;
    for (int k = 0; k < pulls.length; k++) {
      pulls[k] = Math.sqrt(weight) / pulls[k];
    }
    return pulls;
  }

  /** Properties that do not depend on the batch. */
  private static List<Object> identity(Run run) {
    ModelFeatures model = run.model();
    return List.of(
        model.layers(), model.parameters(), model.multiplyAccumulates() / model.batchSize());
  }

  /**
   * How well the coefficients are known, and how much they differ between models: as much as makes
   * such differences explain what was missed.
   */
  private ParameterUncertainty uncertainty(LeastSquares.Solution best, int rows) {
    double[][] slopes = best.jacobian();
    double[][] inverse = best.covariance();
    double[] deviations = belief.deviations();
    // in units in which belief alone leaves its own deviations
    double unit = Math.pow(slopes[rows][0] * deviations[0], 2);
    double[] variations = belief.variations();
    double squares = 0;
    double explained = 0;
    for (int i = 0; i < rows; i++) {
      squares += Math.pow(best.residuals()[i], 2);
      for (int k = 0; k < deviations.length; k++) {
        explained += Math.pow(slopes[i][k] * variations[k], 2);
      }
    }
    double[] covariance = new double[deviations.length * deviations.length];
    for (int k = 0; k < covariance.length; k++) {
      int a = k / deviations.length;
      int b = k % deviations.length;
      double between = a == b && explained > 0 ? variations[a] * variations[a] / explained : 0;
      covariance[k] = unit * inverse[a][b] + squares * between;
    }
    return new ParameterUncertainty(
        belief.withLogarithms(best.parameters()),
        new HybridLearner.Numbers(covariance),
        MIN_UNCERTAINTY);
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

  /** What was measured, and the root of each row's share. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  private record Rows(List<Run> runs, double[] logs, double[] roots) {}

  private LeastSquares.Residuals misses(Rows all, double[] centre, double[] pulls) {
    return (logarithms, misses, slopes) -> {
      Prior prior = belief.withLogarithms(logarithms);
      List<Run> runs = all.runs();
      int rows = runs.size();
      for (int i = 0; i < rows; i++) {
        misses[i] = all.roots()[i] * (prior.log(runs.get(i)) - all.logs()[i]);
        double[] gradient = prior.gradient(runs.get(i));
        for (int k = 0; k < centre.length; k++) {
          slopes[i][k] = all.roots()[i] * gradient[k];
        }
      }
      for (int k = 0; k < centre.length; k++) {
        misses[rows + k] = pulls[k] * (logarithms[k] - centre[k]);
        slopes[rows + k][k] = pulls[k];
      }
    };
  }
}
