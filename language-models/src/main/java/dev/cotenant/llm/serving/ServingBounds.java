package dev.cotenant.llm.serving;

import dev.cotenant.llm.fit.FamilyBound;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Upper bounds on errors in bytes, each from the worst held-out run of every measured family.
 *
 * @param allButKv on weights, activations and memory outside of PyTorch
 * @param overhead on the same with context and CUDA graphs
 * @param outside on context and CUDA graphs alone
 */
public record ServingBounds(FamilyBound allButKv, FamilyBound overhead, FamilyBound outside) {
  private static final double GIB = 1L << 30;

  /** Of every measured start; a test holds these to the fit. */
  public static final ServingBounds SHIPPED =
      new ServingBounds(
          gib(-0.120, -0.021, -0.059, 0.179, 0.186, 0.163, 0.063, 0.058, 0.219, 0.019),
          gib(-0.120, 0.539, 0.062, -0.145, 0.405, 0.403, -0.065, -0.076, 0.125, 0.095),
          gib(-0.000, 0.560, 0.121, -0.270, 0.219, 0.344, -0.128, -0.134, 0.074, 0.076));

  private static FamilyBound gib(double... worst) {
    return new FamilyBound(
        java.util.Arrays.stream(worst).map(value -> value * GIB).boxed().toList());
  }

  /** Of these runs, each predicted by coefficients that were learnt without its family. */
  public static ServingBounds of(List<ServingRun> runs) {
    return new ServingBounds(
        bound(runs, c -> run -> run.measured().allButKv() - predicted(c, run).allButKv()),
        bound(
            runs,
            c ->
                run ->
                    run.measured().weights()
                        + run.measured().beyondWeights()
                        - predicted(c, run).withoutKv()),
        bound(
            runs,
            c ->
                run ->
                    run.measured().context()
                        + run.measured().graphs()
                        - predicted(c, run).outside()));
  }

  private static FamilyBound bound(
      List<ServingRun> runs,
      java.util.function.Function<ServingCoefficients, ToDoubleFunction<ServingRun>> error) {
    return FamilyBound.heldOut(
        runs, ServingRun::family, others -> error.apply(ServingFit.of(others)));
  }

  private static ServingParts predicted(ServingCoefficients coefficients, ServingRun run) {
    return ServingParts.of(coefficients, run.model(), run.settings(), run.card());
  }
}
