package dev.cotenant.llm.tuning;

import dev.cotenant.llm.fit.FamilyBound;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Upper bounds on relative errors of fine-tuning, by stack, each from the worst held-out job of
 * every measured family: a method of PEFT, models of one origin for LitGPT, one size of Qwen.
 *
 * @param byStack of measured stacks
 */
public record TuningBounds(Map<TuningStack, FamilyBound> byStack) {
  /** Of every measured job; a test holds these to the fit. */
  public static final TuningBounds SHIPPED =
      new TuningBounds(
          Map.of(
              TuningStack.PEFT,
              new FamilyBound(
                  List.of(
                      0.0121, -0.0169, 0.0430, -0.0243, -0.0117, 0.0563, -0.0009, -0.0189, -0.0176,
                      -0.0268, -0.0366, -0.0034, 0.0270, -0.0229, 0.1035, 0.1182, -0.0174, 0.0471,
                      0.0210, 0.0677, -0.0270, -0.0623, -0.0322, -0.0281, 0.0148, 0.0040, -0.0281,
                      0.0349)),
              TuningStack.LITGPT,
              new FamilyBound(List.of(0.3212, 0.1808, 0.0353, 0.0940, 0.0986)),
              TuningStack.CHECKPOINTED,
              new FamilyBound(List.of(0.1944, 0.2684, 0.1928))));

  public TuningBounds {
    byStack = Map.copyOf(byStack);
  }

  /**
   * Of these jobs that ran, each predicted by coefficients that were learned without its family.
   */
  public static TuningBounds of(List<TuningRun> runs) {
    Map<TuningStack, FamilyBound> found = new EnumMap<>(TuningStack.class);
    for (TuningStack stack : TuningStack.values()) {
      List<TuningRun> own =
          runs.stream()
              .filter(run -> !run.ranOut())
              .filter(run -> run.settings() != null && run.settings().stack() == stack)
              .toList();
      if (!own.isEmpty()) {
        found.put(
            stack,
            FamilyBound.heldOut(
                own,
                TuningRun::family,
                others -> {
                  TuningFormula formula = TuningFormula.of(others);
                  return run ->
                      run.bytes() / formula.predict(run.model(), run.settings()).peak() - 1;
                }));
      }
    }
    return new TuningBounds(found);
  }

  /** The bound of a stack that was measured. */
  public FamilyBound of(TuningStack stack) {
    return Objects.requireNonNull(byStack.get(stack));
  }
}
