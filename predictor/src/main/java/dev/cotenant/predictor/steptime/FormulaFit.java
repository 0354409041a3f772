package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import java.util.List;
import java.util.function.ToDoubleBiFunction;

/** Fits the formula's coefficients to measured runs; what they do not determine stays typical. */
public final class FormulaFit {

  /**
   * Prior belief about the coefficients.
   *
   * @param pull weight of a coefficient's log distance from these, in residuals of one run
   */
  public record Prior(StepTimeCoefficients coefficients, double pull) {
    /** Where the runs are of few networks. */
    public static final Prior TYPICAL = new Prior(StepTimeCoefficients.TYPICAL, 0.5);
  }

  private FormulaFit() {}

  /** The formula that fits whole steps best. */
  public static StepTimeFormula of(List<StepTimeRun> runs) {
    return of(Prior.TYPICAL, runs, FormulaFit::stepSeconds);
  }

  /** As above, for step times that {@code seconds} derives from the formula. */
  public static StepTimeFormula of(
      Prior prior,
      List<StepTimeRun> runs,
      ToDoubleBiFunction<StepTimeFormula, StepTimeRun> seconds) {
    double[] logs =
        RobustLogFit.pulledAlike(prior.coefficients.logs(), prior.pull)
            .fit(at -> residuals(formula(at), runs, seconds));
    return formula(logs);
  }

  private static StepTimeFormula formula(double[] logs) {
    return new StepTimeFormula(StepTimeCoefficients.ofLogs(logs));
  }

  private static double[] residuals(
      StepTimeFormula formula,
      List<StepTimeRun> runs,
      ToDoubleBiFunction<StepTimeFormula, StepTimeRun> seconds) {
    return runs.stream()
        .mapToDouble(run -> Math.log(seconds.applyAsDouble(formula, run) / run.seconds()))
        .toArray();
  }

  /** Wall time of a step by the formula. */
  public static double stepSeconds(StepTimeFormula formula, StepTimeRun run) {
    return formula.of(run.work(), run.settings(), run.part()).seconds();
  }
}
