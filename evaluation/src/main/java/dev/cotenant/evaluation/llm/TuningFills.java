package dev.cotenant.evaluation.llm;

import dev.cotenant.evaluation.fill.FillCase;
import dev.cotenant.evaluation.fill.FillLine;
import dev.cotenant.llm.MeasuredRuns;
import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.tuning.TuningFormula;
import dev.cotenant.llm.tuning.TuningRun;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Fine-tuning and generation with its libraries, one family left out at a time: learned from the
 * others of the same library, with a bound from families in turn left out of those. Where so few
 * families support no bound at a level, nothing is filled in.
 */
public final class TuningFills {
  private static final double MIB = 1L << 20;

  /** The cards of the sets that name one for all their runs: of PEFT's, and of Qwen's. */
  private static final double L40S = 46_068 * MIB;

  private static final double A100 = 81_920 * MIB;

  private TuningFills() {}

  private record Learnt(TuningFormula formula, FamilyBound bound) {
    static Learnt of(List<TuningRun> runs) {
      return new Learnt(
          TuningFormula.of(runs),
          FamilyBound.heldOut(
              runs,
              TuningRun::family,
              others -> {
                TuningFormula formula = TuningFormula.of(others);
                return run -> run.bytes() / peak(formula, run) - 1;
              }));
    }
  }

  private static double peak(TuningFormula formula, TuningRun run) {
    return formula.predict(run.model(), run.settings()).peak();
  }

  /** The curves of the libraries that have runs of at least three families. */
  public static List<FillLine> of(MeasuredRuns data) {
    List<FillLine> lines = new ArrayList<>();
    for (TuningStack stack : TuningStack.values()) {
      List<TuningRun> runs =
          data.tuning().stream().filter(run -> !run.ranOut() && stack(run) == stack).toList();
      if (Families.suffices(runs, List.of(), TuningRun::family)) {
        lines.addAll(
            curve(
                stack.name().toLowerCase(Locale.ROOT),
                HeldOut.of(runs, List.of(), TuningRun::family, Learnt::of)));
      }
    }
    return lines;
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

  private static List<FillLine> curve(String set, List<HeldOut<TuningRun, Learnt>> held) {
    List<FillLine> lines = new ArrayList<>(FillLine.rules(set, cases(held, 0.5)));
    FillLine.LEVELS.forEach(level -> lines.add(FillLine.at(set, level, cases(held, level))));
    return lines;
  }

  private static List<FillCase> cases(List<HeldOut<TuningRun, Learnt>> held, double level) {
    return held.stream()
        .map(one -> {
          Learnt learnt = one.learnt();
          double estimate = peak(learnt.formula(), one.row());
          double bound =
              level > learnt.bound().most()
                  ? Double.NaN
                  : estimate * (1 + learnt.bound().at(level));
          return new FillCase(one.row().bytes(), estimate, bound, card(one.row()));
        })
        .toList();
  }
}
