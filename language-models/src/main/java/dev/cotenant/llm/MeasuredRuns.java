package dev.cotenant.llm;

import dev.cotenant.llm.inference.GenerationRun;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.tuning.TuningRun;
import java.util.ArrayList;
import java.util.List;

/**
 * Measured memory of language models.
 *
 * @param serving starts of vLLM
 * @param tuning fine-tuning with PEFT, LitGPT and activation checkpointing
 * @param generation with plain transformers
 */
public record MeasuredRuns(
    List<ServingRun> serving, List<TuningRun> tuning, List<GenerationRun> generation) {
  /** None. */
  public static final MeasuredRuns NONE = new MeasuredRuns(List.of(), List.of(), List.of());

  public MeasuredRuns {
    serving = List.copyOf(serving);
    tuning = List.copyOf(tuning);
    generation = List.copyOf(generation);
  }

  /** How many. */
  public int size() {
    return serving.size() + tuning.size() + generation.size();
  }

  /** Both. */
  public MeasuredRuns plus(MeasuredRuns other) {
    return new MeasuredRuns(
        joined(serving, other.serving),
        joined(tuning, other.tuning),
        joined(generation, other.generation));
  }

  private static <T> List<T> joined(List<T> left, List<T> right) {
    List<T> all = new ArrayList<>(left);
    all.addAll(right);
    return all;
  }
}
