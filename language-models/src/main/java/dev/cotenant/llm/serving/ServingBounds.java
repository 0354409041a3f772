package dev.cotenant.llm.serving;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.llm.fit.FamilyBound;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Upper bounds on errors in bytes, each from the worst held-out run of every measured family.
 *
 * @param allButKv on weights, activations and memory outside of PyTorch
 * @param overhead on the same with context and CUDA graphs
 * @param outside on context and CUDA graphs alone
 * @param parts on each part alone
 */
public record ServingBounds(
    FamilyBound allButKv,
    FamilyBound overhead,
    FamilyBound outside,
    Map<ServingPart, FamilyBound> parts) {
  /** Of every measured start; a test holds these to the fit. */
  public static final ServingBounds SHIPPED =
      new ServingBounds(
          gib(-0.120, -0.021, -0.059, 0.179, 0.186, 0.163, 0.063, 0.058, 0.219, 0.019),
          gib(-0.120, 0.539, 0.062, -0.145, 0.405, 0.403, -0.065, -0.076, 0.125, 0.095),
          gib(-0.000, 0.560, 0.121, -0.270, 0.219, 0.344, -0.128, -0.134, 0.074, 0.076),
          Map.of(
              ServingPart.WEIGHTS,
                  gib(
                      0.0038, 0.0494, 0.0054, 0.0739, 0.2752, 0.0182, 0.0319, 0.0056, 0.1204,
                      0.0038),
              ServingPart.ACTIVATION,
                  gib(
                      -0.1243, -0.0802, -0.0646, 0.0950, -0.0392, 0.1744, -0.0685, 0.1021, -0.0017,
                      -0.0011),
              ServingPart.NON_TORCH, gib(0.0, 0.01, 0.0, 0.01, -0.05, 0.12, 0.1, -0.05, 0.1, 0.02),
              ServingPart.CUDA_GRAPHS,
                  gib(
                      -0.0, 0.5597, 0.1213, -0.2699, 0.2489, 0.3439, -0.1884, -0.1038, 0.0736,
                      0.0762),
              ServingPart.CONTEXT, gib(0.0, 0.0, 0.0, 0.0, -0.03, 0.02, 0.06, -0.03, 0.02, 0.0)));

  public ServingBounds {
    parts = Map.copyOf(parts);
  }

  /** On one part alone. */
  public FamilyBound of(ServingPart part) {
    return Objects.requireNonNull(parts.get(part), part::name);
  }

  private static FamilyBound gib(double... worst) {
    return new FamilyBound(
        java.util.Arrays.stream(worst).map(value -> value * MemorySize.GIB).boxed().toList());
  }

  /** Of these runs, each predicted by coefficients that were learned without its family. */
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
                        - predicted(c, run).outside()),
        ofParts(runs));
  }

  private static Map<ServingPart, FamilyBound> ofParts(List<ServingRun> runs) {
    Map<ServingPart, FamilyBound> bounds = new EnumMap<>(ServingPart.class);
    for (ServingPart part : ServingPart.values()) {
      bounds.put(
          part, bound(runs, c -> run -> part.of(run.measured()) - part.of(predicted(c, run))));
    }
    return bounds;
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
