package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.predictor.steptime.FormulaFit;
import dev.cotenant.predictor.steptime.ShotCorrection;
import dev.cotenant.predictor.steptime.StepTimeCoefficients;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Sums of operators of transformers, each timed alone [NeuSight]. */
final class TransformerProtocols {
  /** What timing an operator alone adds to it. */
  private static final double OPERATOR_SECONDS = 7e-6;

  /** Training over inference without an optimizer: forward, and twice that backward. */
  private static final double TRAINING_FACTOR = 3.05;

  /** Rows of nine devices determine the coefficients; the prior only starts the fit. */
  private static final double PULL = 0.05;

  /** The level that a bound is widened to, so that 95 % holds on other devices. */
  private static final double LEVEL = 0.96;

  private static final double ASSUMED = Math.log(2);

  private final List<StepTimeRun> data;
  private final List<StepTimeRun> test;
  private final Bench bench = new Bench();

  TransformerProtocols(List<StepTimeRun> data, List<StepTimeRun> test) {
    this.data = data;
    this.test = test;
  }

  private static double seconds(StepTimeFormula formula, StepTimeRun run) {
    return formula.of(run.work(), run.settings(), run.part()).gpuSeconds()
        + OPERATOR_SECONDS * run.work().operators();
  }

  private static StepTimeFormula constants() {
    StepTimeCoefficients typical = StepTimeCoefficients.TYPICAL;
    return new StepTimeFormula(
        new StepTimeCoefficients(
            typical.computeEfficiency(),
            typical.trafficFactor(),
            typical.reuse(),
            typical.overlapExponent(),
            TRAINING_FACTOR));
  }

  List<StepTimeFigures> evaluate() {
    StepTimeFormula constants = constants();
    Scored fixed =
        Scored.of(test.isEmpty() ? data : test, run -> Math.log(seconds(constants, run)));
    bench.add("constants -> NeuSight", fixed, Bars.mape(13));
    bench.add(
        "constants -> NeuSight, NVIDIA",
        fixed.only(run -> !Bench.device(run).startsWith("mi")),
        Bars.mape(13));
    devices();
    List<Fold> networks = folds(Bench::network);
    bench.add("NeuSight, network left out", fitted(networks), Bars.mape(10));
    return bench.figures();
  }

  private List<Fold> folds(Function<StepTimeRun, String> key) {
    if (test.isEmpty()) {
      return Fold.leavingOut(data, key);
    }
    Set<String> known = data.stream().map(key).collect(Collectors.toSet());
    List<StepTimeRun> unseen =
        test.stream().filter(run -> !known.contains(key.apply(run))).toList();
    return unseen.isEmpty() || data.isEmpty() ? List.of() : List.of(new Fold("test", data, unseen));
  }

  private static Scored fitted(List<Fold> folds) {
    Scored scored = new Scored();
    for (Fold fold : folds) {
      StepTimeFormula formula =
          FormulaFit.of(
              new FormulaFit.Prior(constants().coefficients(), PULL),
              fold.train(),
              TransformerProtocols::seconds);
      scored.addAll(Scored.of(fold.test(), run -> Math.log(seconds(formula, run))));
    }
    return scored;
  }

  private void devices() {
    String protocol = "NeuSight, device left out";
    List<Fold> folds = folds(Bench::device);
    Scored left = fitted(folds);
    bench.add(protocol, left, Bars.errors(11, 8.5, 95));
    bench.addBaselines(protocol, folds);
    bench.add(
        protocol + ", + 1 row of it",
        Shots.of(left, ShotCorrection.Group.DEVICE, 1),
        Bars.mape(10.5));
    bench.add(
        protocol + ", + 4 rows of it",
        Shots.of(left, ShotCorrection.Group.DEVICE, 4),
        Bars.mape(8.5));
    Scored learned = test.isEmpty() ? left : fitted(Fold.leavingOut(data, Bench::device));
    bench.add(
        protocol + ", bound",
        left.bounded(run -> excess(learned.only(other -> isOther(run, other)))),
        Bars.bound(95, 40));
  }

  private static boolean isOther(StepTimeRun run, StepTimeRun other) {
    return !Bench.device(run).equals(Bench.device(other));
  }

  /** How far other devices exceed predictions. */
  private static double excess(Scored learned) {
    double[] residuals = learned.residuals();
    return residuals.length == 0 ? ASSUMED : Quantiles.conformal(residuals, LEVEL);
  }
}
