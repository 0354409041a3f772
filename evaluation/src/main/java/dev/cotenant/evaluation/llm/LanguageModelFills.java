package dev.cotenant.evaluation.llm;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.evaluation.fill.FillCase;
import dev.cotenant.evaluation.fill.FillLine;
import dev.cotenant.llm.MeasuredRuns;
import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.inference.GenerationBounds;
import dev.cotenant.llm.inference.GenerationFormula;
import dev.cotenant.llm.inference.GenerationRun;
import dev.cotenant.llm.serving.ServingBounds;
import dev.cotenant.llm.serving.ServingCoefficients;
import dev.cotenant.llm.serving.ServingFit;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.tuning.TuningFormula;
import dev.cotenant.llm.tuning.TuningRun;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Servers, fine-tuning and generation with one family left out at a time: a fit to the other
 * families, with a bound from leaving these out in turn. Where so few families support no bound at
 * a level, nothing is filled in.
 */
public final class LanguageModelFills {
  /** GPUs of sets that name one for all runs: of PEFT, and of Qwen. */
  private static final double L40S = 46_068 * MemorySize.MIB;

  private static final double A100 = 81_920 * MemorySize.MIB;

  private LanguageModelFills() {}

  /** Runs filled with bounds at a level. */
  private interface Cases {
    List<FillCase> at(double level);
  }

  /**
   * The curves of servers, of libraries of fine-tuning and of generation, of three families at
   * least.
   */
  public static List<FillLine> of(MeasuredRuns data) {
    List<FillLine> lines = new ArrayList<>(servers(data.serving()));
    for (TuningStack stack : TuningStack.values()) {
      List<TuningRun> runs =
          data.tuning().stream().filter(run -> !run.ranOut() && stack(run) == stack).toList();
      if (Families.suffices(runs, List.of(), TuningRun::family)) {
        var held = HeldOut.of(runs, List.of(), TuningRun::family, Tuning::of);
        lines.addAll(
            curve(stack.name().toLowerCase(Locale.ROOT), level -> Tuning.cases(held, level)));
      }
    }
    lines.addAll(generation(data.generation()));
    return lines;
  }

  private static List<FillLine> curve(String set, Cases cases) {
    List<FillLine> lines = new ArrayList<>(FillLine.rules(set, cases.at(0.5)));
    FillLine.LEVELS.forEach(level -> lines.add(FillLine.at(set, level, cases.at(level))));
    return lines;
  }

  private static double atLevel(FamilyBound bound, double level) {
    return level > bound.most() ? Double.NaN : bound.at(level);
  }

  /**
   * Of one server what is filled in where the webhook writes its KV cache: all but the pool, and a
   * pool of one sequence of the longest length, which is an argument and takes what it says.
   */
  private static List<FillLine> servers(List<ServingRun> all) {
    List<ServingRun> runs = ServingEvaluation.configurations(all);
    if (!Families.suffices(runs, List.of(), ServingRun::family)) {
      return List.of();
    }
    var held = HeldOut.of(runs, List.of(), ServingRun::family, Serving::of);
    return curve(
        "vllm", level -> held.stream().map(one -> one.learned().fill(one.row(), level)).toList());
  }

  private record Serving(ServingCoefficients coefficients, ServingBounds bounds) {
    static Serving of(List<ServingRun> runs) {
      return new Serving(ServingFit.of(runs), ServingBounds.of(runs));
    }

    FillCase fill(ServingRun run, double level) {
      ServingParts parts = ServingParts.of(coefficients, run.model(), run.settings(), run.card());
      double measured = run.measured().weights() + run.measured().beyondWeights();
      double pool = parts.kvPerSequence();
      return new FillCase(
          measured + pool,
          parts.withoutKv() + pool,
          parts.withoutKv() + atLevel(bounds.overhead(), level) + pool,
          run.card().totalBytes());
    }
  }

  private static List<FillLine> generation(List<GenerationRun> runs) {
    if (!Families.suffices(runs, List.of(), run -> run.model().name())) {
      return List.of();
    }
    var held = HeldOut.of(runs, List.of(), run -> run.model().name(), Generation::of);
    return curve(
        "generation",
        level -> held.stream().map(one -> one.learned().fill(one.row(), level)).toList());
  }

  private record Generation(GenerationFormula formula, GenerationBounds bounds) {
    static Generation of(List<GenerationRun> runs) {
      return new Generation(GenerationFormula.of(runs), GenerationBounds.of(runs));
    }

    FillCase fill(GenerationRun run, double level) {
      double estimate = formula.predict(run.model(), run.secondHead(), run.settings()).peak();
      FamilyBound bound = bounds.of(run.model(), run.settings());
      return new FillCase(
          run.bytes(),
          estimate,
          estimate * (1 + atLevel(bound, level)),
          A100 * run.settings().gpus());
    }
  }

  private record Tuning(TuningFormula formula, FamilyBound bound) {
    static Tuning of(List<TuningRun> runs) {
      return new Tuning(
          TuningFormula.of(runs),
          FamilyBound.heldOut(
              runs,
              TuningRun::family,
              others -> {
                TuningFormula formula = TuningFormula.of(others);
                return run -> run.bytes() / peak(formula, run) - 1;
              }));
    }

    static List<FillCase> cases(List<HeldOut<TuningRun, Tuning>> held, double level) {
      return held.stream()
          .map(one -> {
            double estimate = peak(one.learned().formula(), one.row());
            double bound = estimate * (1 + atLevel(one.learned().bound(), level));
            return new FillCase(one.row().bytes(), estimate, bound, card(one.row()));
          })
          .toList();
    }

    private static double peak(TuningFormula formula, TuningRun run) {
      return formula.predict(run.model(), run.settings()).peak();
    }
  }

  private static TuningStack stack(TuningRun run) {
    TuningSettings settings = run.settings();
    return settings == null ? TuningStack.LITGPT : settings.stack();
  }

  private static double card(TuningRun run) {
    if (Double.isFinite(run.limitBytes())) {
      return run.limitBytes();
    }
    return stack(run) == TuningStack.PEFT ? L40S : A100;
  }
}
