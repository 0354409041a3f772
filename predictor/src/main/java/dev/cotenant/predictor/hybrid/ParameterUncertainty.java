package dev.cotenant.predictor.hybrid;

import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.StandardErrors;
import dev.cotenant.predictor.model.Host;

/**
 * How far off a fitted prior may be for a run, in the target's logarithm, as {@link
 * StandardErrors}.
 *
 * <p>Laplace's approximation: near the best coefficients the fit's objective is a parabola, whose
 * inverse curvature is how well rows and belief together tell the coefficients [MacKay, "Bayesian
 * interpolation", 1992]. A coefficient that no row determines is as uncertain as it was before, and
 * a run that depends on it gets a wide answer; one that depends on what rows settled gets what no
 * coefficients explained in them.
 *
 * <p>Hosts differ too: the size of a context on an unmeasured one is uncertain by as much as
 * contexts differ between hosts.
 *
 * @param prior the fitted formula
 * @param covariance of the logarithms of its coefficients, row by row
 * @param misfit root mean square of what the formula missed in the rows
 */
record ParameterUncertainty(Prior prior, HybridLearner.Numbers covariance, double misfit) {
  /** What the formula alone answers. */
  double log(Run run) {
    return prior.log(run);
  }

  /** What an unmeasured host adds to it. */
  StandardErrors ofHost(Run run) {
    return prior.hostUncertainty(run);
  }

  StandardErrors of(Run run, Host host) {
    return switch (host) {
      case MEASURED -> StandardErrors.alike(ofFormula(run));
      case UNKNOWN -> ofHost(run).and(ofFormula(run));
    };
  }

  private double ofFormula(Run run) {
    double[] gradient = prior.gradient(run);
    double[] entries = covariance.values();
    double sum = misfit * misfit;
    for (int a = 0; a < gradient.length; a++) {
      for (int b = 0; b < gradient.length; b++) {
        sum += gradient[a] * entries[a * gradient.length + b] * gradient[b];
      }
    }
    return Math.sqrt(Math.max(0, sum));
  }
}
