package dev.cotenant.evaluation.llm;

import dev.cotenant.evaluation.llm.LlmFigures.Title;
import dev.cotenant.llm.inference.GenerationBounds;
import dev.cotenant.llm.inference.GenerationFormula;
import dev.cotenant.llm.inference.GenerationRun;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.memory.Weights;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Generation with plain transformers, one model left out at a time. */
final class GenerationEvaluation {
  private static final double LEVEL = 0.9;
  private static final double ACCELERATE = 1.2;
  private static final Title TITLE = new Title("transformers generation", "%");

  private record Learned(GenerationFormula formula, GenerationBounds bounds) {
    static Learned of(List<GenerationRun> runs) {
      return new Learned(GenerationFormula.of(runs), GenerationBounds.of(runs));
    }
  }

  private GenerationEvaluation() {}

  static List<LlmFigures> of(List<GenerationRun> data, List<GenerationRun> test) {
    if (!Families.suffices(data, test, GenerationEvaluation::family)) {
      return List.of();
    }
    List<HeldOut<GenerationRun, Learned>> cases =
        HeldOut.of(data, test, GenerationEvaluation::family, Learned::of);
    List<LlmFigures> figures = new ArrayList<>();
    figures.add(
        LlmFigures.ofErrors(
            TITLE,
            LlmFigures.OURS,
            cases.stream()
                .map(held -> percent(peak(held.learned().formula(), held.row()), held.row()))
                .toList(),
            LlmBar.errors(2, 10, 1, 4)));
    figures.add(baseline("accelerate x 1.2", cases, run -> ACCELERATE * weights(run)));
    figures.add(baseline("weights + KV", cases, run -> weights(run) + cache(run)));
    figures.add(
        LlmFigures.ofBounds(
            new Title(TITLE.quantity() + ", 90 % bound", "%"),
            cases.stream()
                .map(held ->
                    percent(
                        peak(held.learned().formula(), held.row())
                            * (1
                                + held.learned()
                                    .bounds()
                                    .of(held.row().model(), held.row().settings())
                                    .at(LEVEL)),
                        held.row()))
                .toList(),
            LlmBar.bound(8, 4)));
    return figures;
  }

  private static String family(GenerationRun run) {
    return run.model().name();
  }

  private static double weights(GenerationRun run) {
    return new Weights(run.model()).bytes();
  }

  private static double cache(GenerationRun run) {
    double tokens = run.settings().promptTokens() + (double) run.settings().generatedTokens();
    return new KvCache(run.model(), 1, 1, 2).bytesPerToken() * tokens;
  }

  private static double peak(GenerationFormula formula, GenerationRun run) {
    return formula.predict(run.model(), run.secondHead(), run.settings()).peak();
  }

  private static double percent(double predicted, GenerationRun run) {
    return 100 * (predicted / run.bytes() - 1);
  }

  private static LlmFigures baseline(
      String name,
      List<HeldOut<GenerationRun, Learned>> cases,
      ToDoubleFunction<GenerationRun> predicted) {
    return LlmFigures.ofErrors(
        TITLE,
        name,
        cases.stream()
            .map(held -> percent(predicted.applyAsDouble(held.row()), held.row()))
            .toList(),
        LlmBar.NONE);
  }
}
