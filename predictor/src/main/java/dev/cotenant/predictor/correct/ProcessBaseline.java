package dev.cotenant.predictor.correct;

import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a process takes on a cluster's hosts beyond what a base expects: driver context and
 * libraries, the same bytes whatever the model.
 *
 * @param extraBytes added to every estimate; negative where hosts take less
 * @param deviationBytes how well that is known: a standard deviation, positive
 */
record ProcessBaseline(double extraBytes, double deviationBytes) {
  /*
   * Posterior mean and deviation on a grid. Prior: normal around nothing. Likelihood: Student's t of a
   * run's error in the deviations that the base's own bounds state when the host is known, so that
   * small models tell the context and large ones hardly do, and a model that is off for reasons of
   * its own does not. Families are the independent observations: each counts once, whatever its runs.
   */

  /** Contexts of known hosts lie 0.9 GiB below to 0.6 above what the base expects. */
  private static final double PRIOR_DEVIATION = 512.0 * (1 << 20);

  private static final double STEP = 16.0 * (1 << 20);
  private static final int STEPS = 128;
  private static final double FREEDOM = 4;

  /** The 90 % quantile of a normal distribution: what one-sided bounds reach to. */
  private static final double BOUND = 1.2816;

  /** No context is nearly all of an estimate. */
  private static final double MIN_SHARE = 1.0 / 16;

  ProcessBaseline {
    if (!(Math.abs(extraBytes) < 1e12 && deviationBytes > 0 && deviationBytes < 1e12)) {
      throw new IllegalArgumentException(
          "a host cannot take " + extraBytes + " ± " + deviationBytes + " bytes more");
    }
  }

  /**
   * Process baselines of these platforms; empty ones for platforms without residuals.
   *
   * @param residuals of a base that predicted as for a measured host
   */
  static Map<String, ProcessBaseline> of(Set<String> platforms, List<Residual> residuals) {
    Map<String, ProcessBaseline> contexts = new TreeMap<>();
    for (String platform : platforms) {
      contexts.put(
          platform,
          of(residuals.stream().filter(some -> some.platform().equals(platform)).toList()));
    }
    return contexts;
  }

  private static ProcessBaseline of(List<Residual> residuals) {
    Map<String, Long> sizes =
        residuals.stream().collect(Collectors.groupingBy(Residual::family, Collectors.counting()));
    double[] logs = new double[2 * STEPS + 1];
    for (int i = 0; i < logs.length; i++) {
      double extra = (i - STEPS) * STEP;
      logs[i] = -extra * extra / (2 * PRIOR_DEVIATION * PRIOR_DEVIATION);
      for (Residual residual : residuals) {
        logs[i] += likelihood(residual, extra) / sizes.getOrDefault(residual.family(), 1L);
      }
    }
    return moments(logs);
  }

  private static double likelihood(Residual residual, double extra) {
    LogBounds base = residual.base();
    double deviation = (base.above() + base.below()) / (2 * BOUND);
    double misses = (residual.error() - shift(base.mean(), extra)) / deviation;
    return -(FREEDOM + 1) / 2 * Math.log1p(misses * misses / FREEDOM);
  }

  private static ProcessBaseline moments(double[] logs) {
    double greatest = java.util.Arrays.stream(logs).max().orElseThrow();
    double mass = 0;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < logs.length; i++) {
      double weight = Math.exp(logs[i] - greatest);
      double extra = (i - STEPS) * STEP;
      mass += weight;
      sum += weight * extra;
      squares += weight * extra * extra;
    }
    double mean = sum / mass;
    double variance = Math.max(0, squares / mass - mean * mean) + STEP * STEP / 12;
    return new ProcessBaseline(mean, Math.sqrt(variance));
  }

  private static double shift(double logBytes, double extra) {
    return Math.log(Math.max(MIN_SHARE, 1 + extra / Math.exp(logBytes)));
  }

  /** An estimate on a measured host, with its bounds, moved to these hosts. */
  LogBounds on(LogBounds base) {
    double mean = base.mean() + shift(base.mean(), extraBytes);
    double uncertainty = BOUND * deviationBytes / Math.exp(mean);
    return new LogBounds(
        mean,
        mean - Math.hypot(base.below(), uncertainty),
        mean + Math.hypot(base.above(), uncertainty));
  }
}
