package dev.cotenant.llm.serving;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.llm.serving.ServingRun.Measured;
import java.util.Arrays;

/**
 * A start from a log, by the amounts of its formulas: the model itself is not needed any more.
 *
 * @param vision whether its model has a vision tower
 */
record MeasuredStart(
    VllmVersion version,
    Parallelism parallelism,
    boolean vision,
    ServingAmounts amounts,
    Measured measured) {
  static MeasuredStart of(ServingRun run) {
    return new MeasuredStart(
        run.settings().version(),
        Parallelism.of(run.model(), run.settings()),
        run.model().visionParameters() > 0,
        ServingAmounts.of(run.model(), run.settings(), run.card()),
        run.measured());
  }

  /** Whether both state the same start: a log that is read again is learned once. */
  boolean isSame(MeasuredStart other) {
    return version.equals(other.version)
        && parallelism == other.parallelism
        && measured.equals(other.measured)
        && Arrays.equals(amounts.graphs(), other.amounts.graphs())
        && amounts.weights() == other.amounts.weights()
        && amounts.logits() == other.amounts.logits();
  }

  /** Predicted less measured over what the log states beside weights and pool, in bytes. */
  double error(ServingCoefficients coefficients) {
    return known(coefficients.activation(amounts, vision, version), measured.activation())
        + known(coefficients.nonTorch(parallelism), measured.nonTorch())
        + known(coefficients.context(parallelism), measured.context())
        + known(coefficients.graphs(amounts), measured.graphs());
  }

  /** Whether it states a part that two predict differently, by more than a mebibyte. */
  boolean separates(ServingCoefficients one, ServingCoefficients other) {
    return differ(
            measured.activation(),
            one.activation(amounts, vision, version),
            other.activation(amounts, vision, version))
        || differ(measured.nonTorch(), one.nonTorch(parallelism), other.nonTorch(parallelism))
        || differ(measured.context(), one.context(parallelism), other.context(parallelism))
        || differ(measured.graphs(), one.graphs(amounts), other.graphs(amounts));
  }

  private static boolean differ(double found, double one, double other) {
    return !Double.isNaN(found) && Math.abs(one - other) > MemorySize.MIB;
  }

  private static double known(double predicted, double found) {
    return Double.isNaN(found) ? 0 : predicted - found;
  }

  /** Bytes beside a logit, where the sampler's batch decides and nothing else is added; or NaN. */
  double besideLogit(ServingCoefficients coefficients) {
    boolean sampled =
        coefficients.sampled(amounts, version) >= coefficients.forward() * amounts.forward();
    return vision || amounts.experts() > 0 || amounts.logits() == 0 || !sampled
        ? Double.NaN
        : (measured.activation() - amounts.embedded()) / amounts.logits() - amounts.valueBytes();
  }
}
