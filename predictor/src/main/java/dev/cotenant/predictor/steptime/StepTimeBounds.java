package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;

/**
 * One-sided bounds of the shipped formula, as factors of its mean by level. Each upper factor is at
 * least the conformal quantile of every measured group of its evidence; {@code evaluate step-time}
 * prints how often they hold. Lower factors are those of the widest group: a faster host launches
 * operators in less time than the measured ones.
 */
public enum StepTimeBounds {
  /** Inference with all operators known: ParvaGPU and NeuSight. */
  OPERATORS(new CalibrationGroup("parvagpu and neusight", 371), 1.05, 1.15, 1.35, 1.5, 2.3),
  /** Inference in half precision with all operators known: this project's H200, timm. */
  HALF_PRECISION(new CalibrationGroup("h200 and timm", 3965), 1.05, 1.65, 1.75, 2.05, 2.9),
  /**
   * Totals of a network alone, or training: each device of timm, and its training in NCHW. They
   * hold of training on this project's H200 too.
   */
  TOTALS(new CalibrationGroup("timm", 4381), 1.05, 1.25, 1.5, 1.8, 2.9);

  private static final double[] LEVELS = {0.5, 0.8, 0.9, 0.95, 0.99};
  private static final double[] LOWER = {1.25, 1.4, 1.75, 2, 2.5};
  private static final int LAST = LEVELS.length - 1;

  @SuppressWarnings("ImmutableEnumChecker") // nothing writes to it
  private final double[] upper;

  @SuppressWarnings("ImmutableEnumChecker") // a record of a text and a number
  private final CalibrationGroup evidence;

  StepTimeBounds(CalibrationGroup evidence, double... upper) {
    this.evidence = evidence;
    this.upper = upper;
  }

  /** The group of a run on evidence of operators, or of totals alone. */
  public static StepTimeBounds of(RunSettings settings, boolean hasOperators) {
    if (!hasOperators || settings.mode() == ExecutionMode.TRAINING) {
      return TOTALS;
    }
    return settings.precision().activationBytes() < Precision.FP32.activationBytes()
        ? HALF_PRECISION
        : OPERATORS;
  }

  /**
   * A mean with bounds.
   *
   * @param level requested; what the rows cannot support is answered at the highest level that they
   *     do, which the estimate states
   */
  StepTimeEstimate of(double meanSeconds, Coverage level) {
    double reached = Math.clamp(level.fraction(), LEVELS[0], LEVELS[LAST]);
    return new StepTimeEstimate(
        meanSeconds,
        meanSeconds / factor(LOWER, reached),
        meanSeconds * factor(upper, reached),
        Coverage.of(reached),
        evidence);
  }

  /** Between two levels linear in ln(1 / (1 - level)), which spreads the high ones. */
  private static double factor(double[] factors, double level) {
    int above = 1;
    while (above < LAST && level > LEVELS[above]) {
      above++;
    }
    double from = Math.log1p(-LEVELS[above - 1]);
    double share = (Math.log1p(-level) - from) / (Math.log1p(-LEVELS[above]) - from);
    return factors[above - 1] + share * (factors[above] - factors[above - 1]);
  }
}
