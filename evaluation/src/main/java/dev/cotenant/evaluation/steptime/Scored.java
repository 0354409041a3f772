package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Predicted beside measured times. Not thread safe. */
final class Scored {
  private static final double FACTOR = 1.3;
  private static final double LEVEL = 0.9;

  private final List<Cell> cells = new ArrayList<>();

  /** Natural logarithms of seconds; the bound is NaN where there is none. */
  private record Cell(StepTimeRun run, double predicted, double bound) {
    double measured() {
      return Math.log(run.seconds());
    }
  }

  static Scored of(List<StepTimeRun> runs, ToDoubleFunction<StepTimeRun> logSeconds) {
    Scored scored = new Scored();
    runs.forEach(run -> scored.add(run, logSeconds.applyAsDouble(run)));
    return scored;
  }

  void add(StepTimeRun run, double logSeconds) {
    add(run, logSeconds, Double.NaN);
  }

  void add(StepTimeRun run, double logSeconds, double logBound) {
    cells.add(new Cell(run, logSeconds, logBound));
  }

  void addAll(Scored others) {
    cells.addAll(others.cells);
  }

  /** A run with its predicted log seconds. */
  record Row(StepTimeRun run, double predicted) {
    double residual() {
      return Math.log(run.seconds()) - predicted;
    }
  }

  List<Row> rows() {
    return cells.stream().map(cell -> new Row(cell.run, cell.predicted)).toList();
  }

  boolean isEmpty() {
    return cells.isEmpty();
  }

  /** Measured over predicted, in logarithms. */
  double[] residuals() {
    return cells.stream().mapToDouble(cell -> cell.measured() - cell.predicted).toArray();
  }

  /** Those whose run fulfils a condition. */
  Scored only(java.util.function.Predicate<StepTimeRun> condition) {
    Scored some = new Scored();
    cells.stream().filter(cell -> condition.test(cell.run)).forEach(some.cells::add);
    return some;
  }

  /** Copy with a bound for each run. */
  Scored bounded(ToDoubleFunction<StepTimeRun> logExcess) {
    Scored result = new Scored();
    cells.forEach(cell ->
        result.add(cell.run, cell.predicted, cell.predicted + logExcess.applyAsDouble(cell.run)));
    return result;
  }

  StepTimeFigures figures(String protocol, String model, Bars bars) {
    Map<StepTimeMetric, Double> values = new EnumMap<>(StepTimeMetric.class);
    double[] errors = cells.stream().mapToDouble(Scored::error).sorted().toArray();
    values.put(StepTimeMetric.MAPE, 100 * Arrays.stream(errors).average().orElseThrow());
    values.put(
        StepTimeMetric.MEDIAN, 50 * (errors[(errors.length - 1) / 2] + errors[errors.length / 2]));
    values.put(
        StepTimeMetric.WITHIN,
        100 * share(cell -> Math.abs(cell.measured() - cell.predicted) <= Math.log(FACTOR)));
    if (!Double.isNaN(cells.getFirst().bound)) {
      values.put(StepTimeMetric.COVERAGE, 100 * share(cell -> cell.measured() <= cell.bound));
      values.put(
          StepTimeMetric.EXCESS, 100 * mean(cell -> Math.expm1(cell.bound - cell.measured())));
      values.put(StepTimeMetric.PINBALL, mean(Scored::pinball));
    }
    return new StepTimeFigures(protocol, model, cells.size(), values, bars);
  }

  private static double error(Cell cell) {
    return Math.abs(Math.expm1(cell.predicted - cell.measured()));
  }

  private static double pinball(Cell cell) {
    double short_ = cell.measured() - cell.bound;
    return short_ > 0 ? LEVEL * short_ : (LEVEL - 1) * short_;
  }

  private double share(java.util.function.Predicate<Cell> condition) {
    return mean(cell -> condition.test(cell) ? 1 : 0);
  }

  private double mean(ToDoubleFunction<Cell> value) {
    return cells.stream().mapToDouble(value).average().orElseThrow();
  }
}
