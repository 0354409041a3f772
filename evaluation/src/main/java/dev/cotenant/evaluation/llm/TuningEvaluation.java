package dev.cotenant.evaluation.llm;

import dev.cotenant.evaluation.llm.LlmFigures.Title;
import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.memory.ProcessContext;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.tuning.TuningFormula;
import dev.cotenant.llm.tuning.TuningRun;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Fine-tuning by stack, one family left out at a time; generation with LitGPT is one of its rows.
 */
final class TuningEvaluation {
  private static final double LEVEL = 0.9;

  /** Bytes a parameter that a rule of thumb takes for bf16, 4 bits and full fine-tuning. */
  private static final double RULE_HALF = 2;

  private static final double RULE_FOUR_BITS = 0.6;
  private static final double RULE_FULL = 16;

  private record Learned(TuningFormula formula, FamilyBound bound) {
    static Learned of(List<TuningRun> runs) {
      List<TuningRun> ran = runs.stream().filter(run -> !run.ranOut()).toList();
      return new Learned(
          TuningFormula.of(ran),
          FamilyBound.heldOut(
              ran,
              TuningRun::family,
              others -> {
                TuningFormula formula = TuningFormula.of(others);
                return run -> run.bytes() / peak(formula, run) - 1;
              }));
    }
  }

  private final List<LlmFigures> figures = new ArrayList<>();
  private final List<TuningRun> data;
  private final List<TuningRun> test;

  private TuningEvaluation(List<TuningRun> data, List<TuningRun> test) {
    this.data = data;
    this.test = test;
  }

  static List<LlmFigures> of(List<TuningRun> data, List<TuningRun> test) {
    TuningEvaluation evaluation = new TuningEvaluation(data, test);
    evaluation.peft();
    evaluation.stack(
        TuningStack.LITGPT,
        new Title("LitGPT peak", "%"),
        LlmBar.errors(12, 25, 6, 15),
        LlmBar.NONE);
    evaluation.stack(
        TuningStack.CHECKPOINTED,
        new Title("Qwen fine-tuning, total", "%"),
        LlmBar.errors(10, 22, 5, 12),
        LlmBar.NONE);
    return evaluation.figures;
  }

  private static List<TuningRun> of(TuningStack stack, List<TuningRun> runs) {
    return runs.stream()
        .filter(run -> {
          TuningSettings settings = run.settings();
          return (settings == null ? TuningStack.LITGPT : settings.stack()) == stack;
        })
        .toList();
  }

  private static double peak(TuningFormula formula, TuningRun run) {
    return formula.predict(run.model(), run.settings()).peak();
  }

  private void peft() {
    Title title = new Title("PEFT reserved memory", "%");
    List<HeldOut<TuningRun, Learned>> cases =
        stack(TuningStack.PEFT, title, LlmBar.errors(4, 12, 2.5, 7), LlmBar.bound(12, 8));
    List<TuningRun> own = of(TuningStack.PEFT, data);
    if (!cases.isEmpty()) {
      figures.add(
          errors(
              title,
              "constant",
              cases,
              (run, _) -> {
                double[] sorted =
                    own.stream()
                        .filter(other -> !other.family().equals(run.family()))
                        .mapToDouble(TuningRun::bytes)
                        .sorted()
                        .toArray();
                return sorted[sorted.length / 2];
              },
              LlmBar.NONE));
    }
  }

  private interface Prediction {
    double of(TuningRun run, Learned learned);
  }

  private List<HeldOut<TuningRun, Learned>> stack(
      TuningStack stack, Title title, LlmBar bar, LlmBar bound) {
    List<TuningRun> known = of(stack, data);
    List<TuningRun> scored = of(stack, test);
    if (!Families.suffices(known, scored, TuningRun::family)
        || (!test.isEmpty() && scored.isEmpty())) {
      return List.of();
    }
    List<HeldOut<TuningRun, Learned>> cases =
        HeldOut.of(known, scored, TuningRun::family, Learned::of);
    List<HeldOut<TuningRun, Learned>> ran =
        cases.stream().filter(held -> !held.row().ranOut()).toList();
    if (!ran.isEmpty()) {
      figures.add(
          errors(title, LlmFigures.OURS, ran, (run, learned) -> peak(learned.formula(), run), bar));
      figures.add(
          errors(title, "2 / 0.6 / 16 B a parameter", ran, (run, _) -> rule(run), LlmBar.NONE));
      figures.add(
          LlmFigures.ofBounds(
              new Title(title.quantity() + ", 90 % bound", "%"),
              ran.stream().map(held -> 100 * (bounded(held) / held.row().bytes() - 1)).toList(),
              bound));
    }
    outOfMemory(title, cases);
    return ran;
  }

  private static double bounded(HeldOut<TuningRun, Learned> held) {
    return peak(held.learned().formula(), held.row()) * (1 + held.learned().bound().at(LEVEL));
  }

  /** Jobs that ran out of memory and are predicted to, and those that ran and are predicted to. */
  private void outOfMemory(Title title, List<HeldOut<TuningRun, Learned>> cases) {
    ToDoubleFunction<Boolean> called =
        out ->
            cases.stream()
                .filter(held -> held.row().ranOut() == out)
                .filter(held ->
                    peak(held.learned().formula(), held.row()) + ProcessContext.BYTES
                        > held.row().limitBytes())
                .count();
    int out = (int) cases.stream().filter(held -> held.row().ranOut()).count();
    if (out > 0) {
      figures.add(
          new LlmFigures(
              title.quantity() + ", out of memory called",
              "rows",
              LlmFigures.OURS,
              out,
              Double.NaN,
              Double.NaN,
              Double.NaN,
              100 * called.applyAsDouble(true) / out,
              called.applyAsDouble(false),
              new LlmBar(LlmBar.Kind.CALLED, 80, 0, 100, 0)));
    }
  }

  private static double rule(TuningRun run) {
    double parameters = new Weights(run.model()).parameters();
    @Nullable TuningSettings settings = run.settings();
    int gpus = settings == null ? 1 : settings.gpus();
    if (settings != null && settings.method().isFull()) {
      return RULE_FULL * parameters / gpus;
    }
    boolean quantized = !run.model().quantization().equals(Quantization.NONE);
    return parameters * (quantized ? RULE_FOUR_BITS : RULE_HALF);
  }

  private static LlmFigures errors(
      Title title,
      String model,
      List<HeldOut<TuningRun, Learned>> cases,
      Prediction prediction,
      LlmBar bar) {
    return LlmFigures.ofErrors(
        title,
        model,
        cases.stream()
            .map(held -> 100 * (prediction.of(held.row(), held.learned()) / held.row().bytes() - 1))
            .toList(),
        bar);
  }
}
