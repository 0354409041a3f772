package dev.cotenant.evaluation.llm;

import dev.cotenant.llm.MeasuredRuns;
import java.util.ArrayList;
import java.util.List;

/**
 * Scores the predicted memory of language models: one family left out at a time, or on runs to test
 * after learning from all data.
 *
 * @param data to learn from
 * @param test to score; none for the data themselves
 */
public record LlmEvaluation(MeasuredRuns data, MeasuredRuns test) {
  /** Figures of every quantity that has rows of enough families, in a fixed order. */
  public List<LlmFigures> evaluate() {
    boolean tests = test.size() > 0;
    List<LlmFigures> figures = new ArrayList<>();
    if (!tests || !test.serving().isEmpty()) {
      figures.addAll(ServingEvaluation.of(data.serving(), test.serving()));
    }
    if (!tests || !test.tuning().isEmpty()) {
      figures.addAll(TuningEvaluation.of(data.tuning(), test.tuning()));
    }
    if (!tests || !test.generation().isEmpty()) {
      figures.addAll(GenerationEvaluation.of(data.generation(), test.generation()));
    }
    return figures;
  }
}
