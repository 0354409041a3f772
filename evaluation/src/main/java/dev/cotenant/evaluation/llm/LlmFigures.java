package dev.cotenant.evaluation.llm;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.learning.quantile.SortedSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one predictor of one quantity. Errors are absolute, in the unit; of a bound,
 * coverage and excess are given and errors are NaN.
 *
 * @param quantity what was predicted
 * @param unit of errors and excess: GiB or %
 * @param model {@code cotenant} or a baseline
 * @param rows scored
 * @param median of errors
 * @param high 90th percentile of errors
 * @param worst largest error
 * @param coverage percent of rows at or below the bound; of jobs out of memory, those called
 * @param excess mean of bound less measured; of jobs out of memory, how many that ran were called
 * @param bar what is to be reached
 */
public record LlmFigures(
    String quantity,
    String unit,
    String model,
    int rows,
    double median,
    double high,
    double worst,
    double coverage,
    double excess,
    LlmBar bar) {
  public static final String TASK = "llm";
  public static final String OURS = "cotenant";
  private static final double HIGH = 0.9;

  /** Errors of predictions. */
  static LlmFigures ofErrors(Title title, String model, List<Double> errors, LlmBar bar) {
    SortedSample sorted = new SortedSample(errors.stream().mapToDouble(Math::abs).toArray());
    return new LlmFigures(
        title.quantity(),
        title.unit(),
        model,
        errors.size(),
        sorted.at(0.5),
        sorted.at(HIGH),
        sorted.at(1),
        Double.NaN,
        Double.NaN,
        bar);
  }

  /** Bounds less what was measured. */
  static LlmFigures ofBounds(Title title, List<Double> excesses, LlmBar bar) {
    double held = excesses.stream().filter(excess -> excess >= 0).count();
    double mean = excesses.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    return new LlmFigures(
        title.quantity(),
        title.unit(),
        OURS,
        excesses.size(),
        Double.NaN,
        Double.NaN,
        Double.NaN,
        100 * held / excesses.size(),
        mean,
        bar);
  }

  /** What is predicted, and its unit. */
  record Title(String quantity, String unit) {}

  /** Empty without a bar, else which bar is reached. */
  public String result() {
    if (bar.kind() == LlmBar.Kind.NONE) {
      return "";
    }
    if (!bar.isReached(this, false)) {
      return "missed";
    }
    return bar.isReached(this, true) ? "stretch" : "reached";
  }

  /** The bar, and the stretch beyond it. */
  public String barText(boolean stretch) {
    return bar.text(stretch);
  }

  /** One row per known figure, with its bar as the reference. */
  public List<EvaluationRow> rowsOfEvaluation() {
    List<EvaluationRow> lines = new ArrayList<>();
    boolean errors = bar.kind() == LlmBar.Kind.ERRORS;
    boolean bounds = bar.kind() == LlmBar.Kind.BOUND;
    add(lines, "median", median, errors ? bar.first() : null);
    add(lines, "p90", high, errors ? bar.second() : null);
    add(lines, "worst", worst, bar.kind() == LlmBar.Kind.EVERY_ROW ? bar.first() : null);
    boolean called = bar.kind() == LlmBar.Kind.CALLED;
    add(
        lines,
        called ? "called_percent" : "coverage_percent",
        coverage,
        bounds || called ? bar.first() : null);
    add(lines, called ? "wrongly_called" : "excess", excess, bounds ? bar.second() : null);
    return lines;
  }

  private void add(
      List<EvaluationRow> lines, String metric, double value, @Nullable Double reference) {
    if (!Double.isFinite(value)) {
      return;
    }
    boolean inUnit = Arrays.asList("median", "p90", "worst", "excess").contains(metric);
    String name = inUnit ? metric + (unit.equals("%") ? "_percent" : "_gib") : metric;
    lines.add(
        EvaluationRow.overSeeds(
            new EvaluationRow.Subject(TASK, quantity, model, name),
            new double[] {value},
            rows,
            reference));
  }
}
