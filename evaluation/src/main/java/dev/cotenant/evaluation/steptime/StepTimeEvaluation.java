package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.predictor.steptime.FormulaFit;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Scores predicted step times on published sets: by cross-validation, or on rows to test after
 * learning from all data of the same format.
 *
 * @param data rows to learn from, by format
 * @param test rows to score, by format; empty for cross-validation
 */
public record StepTimeEvaluation(
    Map<String, List<StepTimeRun>> data, Map<String, List<StepTimeRun>> test) {
  private static final double MIN_SHARE = 0.2;
  private static final double MAX_SHARE = 0.8;

  /** Figures of all protocols that have rows, in a fixed order. */
  public List<StepTimeFigures> evaluate() {
    List<StepTimeFigures> figures = new ArrayList<>();
    if (scores("timm")) {
      figures.addAll(new TimmProtocols(data("timm"), test("timm")).evaluate());
    }
    if (scores("parvagpu")) {
      figures.addAll(new SliceProtocols(data("parvagpu"), test("parvagpu")).evaluate());
    }
    if (scores("igniter")) {
      figures.addAll(shares(test.isEmpty() ? data("igniter") : test("igniter")));
    }
    if (scores("neusight")) {
      figures.addAll(new TransformerProtocols(data("neusight"), test("neusight")).evaluate());
    }
    figures.addAll(new ShippedProtocols().evaluate(test.isEmpty() ? data : test));
    return List.copyOf(figures);
  }

  private boolean scores(String format) {
    return test.isEmpty() ? !data(format).isEmpty() : !test(format).isEmpty();
  }

  private List<StepTimeRun> data(String format) {
    return data.getOrDefault(format, List.of());
  }

  private List<StepTimeRun> test(String format) {
    return test.getOrDefault(format, List.of());
  }

  /**
   * TensorRT on MPS shares, by constants alone; shares and batches that were measured as others.
   */
  private static List<StepTimeFigures> shares(List<StepTimeRun> runs) {
    StepTimeFormula formula = StepTimeFormula.typical();
    Bench bench = new Bench();
    bench.add(
        "constants -> iGniter, batch >= 2, shares of 20 to 80 %",
        Scored.of(
            runs.stream()
                .filter(run -> run.work().batch() > 1)
                .filter(run -> run.part().smShare() >= MIN_SHARE)
                .filter(run -> run.part().smShare() <= MAX_SHARE)
                .toList(),
            run -> Math.log(FormulaFit.stepSeconds(formula, run))),
        Bars.mape(15));
    return bench.figures();
  }
}
