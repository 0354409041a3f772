package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.predictor.steptime.FormulaFit;
import dev.cotenant.predictor.steptime.ResidualTrees;
import dev.cotenant.predictor.steptime.ShotCorrection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Vision networks on whole devices [timm]: totals of the graph and catalogue numbers. */
final class TimmProtocols {
  private static final double LEVEL = 0.9;

  /** The level that a bound is widened to, so that 90 % holds on other families as well. */
  private static final double WIDENED = 0.91;

  private static final double FIXED = Math.log(1.5);

  /** Where no other device was left out to learn from. */
  private static final double ASSUMED = Math.log(2);

  private final TimmFolds inference;
  private final TimmFolds all;
  private final Bench bench = new Bench();

  TimmProtocols(List<StepTimeRun> data, List<StepTimeRun> test) {
    all = new TimmFolds(data, test);
    inference = all.only(run -> !trains(run));
  }

  private static boolean trains(StepTimeRun run) {
    return run.settings().mode() == ExecutionMode.TRAINING;
  }

  List<StepTimeFigures> evaluate() {
    if (!inference.data().isEmpty()) {
      networks();
      families();
      devices();
      profiled();
    }
    sizes();
    training("nchw", Bars.mape(15), Bars.mape(17));
    training("nhwc", Bars.mape(26), Bars.mape(28));
    return bench.figures();
  }

  private void networks() {
    String protocol = "timm, random folds by network";
    bench.add(protocol, graph(inference.networks()), Bars.errors(19.5, 14, 76));
    bench.addBaselines(protocol, inference.networks());
  }

  private void families() {
    String protocol = "timm, family left out";
    Scored left = graph(inference.families());
    bench.add(protocol, left, Bars.errors(23.5, 17, 68));
    bench.addBaselines(protocol, inference.families());
    bench.add(
        protocol + ", + 1 row of it",
        Shots.of(left, ShotCorrection.Group.FAMILY, 1),
        Bars.mape(18.5));
    bench.add(
        protocol + ", + 4 rows of it",
        Shots.of(left, ShotCorrection.Group.FAMILY, 4),
        Bars.mape(16));
    if (!left.isEmpty()) {
      bound(protocol, left);
    }
  }

  /** Formula and trees, refitted for each fold. */
  private static Scored graph(List<Fold> folds) {
    Scored scored = new Scored();
    for (Fold fold : folds) {
      ResidualTrees trees = ResidualTrees.of(FormulaFit.of(fold.train()), fold.train(), 1);
      scored.addAll(Scored.of(fold.test(), trees::logSeconds));
    }
    return scored;
  }

  /** From rows of other families, each predicted without its own. */
  private void bound(String protocol, Scored left) {
    Scored learned =
        inference.isGiven()
            ? graph(Fold.inGroups(inference.data(), Bench::family, TimmFolds.FAMILY_GROUPS))
            : left;
    Map<Integer, Double> excess = new TreeMap<>();
    for (int group = 0; group < TimmFolds.FAMILY_GROUPS; group++) {
      int own = group;
      double[] others = learned.only(run -> inference.isGiven() || groupOf(run) != own).residuals();
      excess.put(group, others.length == 0 ? ASSUMED : Quantiles.conformal(others, WIDENED));
    }
    bench.add(
        protocol + ", bound",
        left.bounded(run -> excess.getOrDefault(groupOf(run), ASSUMED)),
        Bars.bound(90, 60));
    bench.add(protocol + ", bound", "fixed x1.5", left.bounded(_ -> FIXED), Bars.NONE);
  }

  private static int groupOf(StepTimeRun run) {
    return Fold.groupOf(Bench.family(run), TimmFolds.FAMILY_GROUPS);
  }

  private void devices() {
    Map<String, Scored> own = new TreeMap<>();
    Map<String, Scored> bounds = new TreeMap<>();
    Map<String, Scored> networks = new TreeMap<>();
    Map<String, Scored> shots = new TreeMap<>();
    Map<String, Scored> families = new TreeMap<>();
    for (Fold fold : inference.devices()) {
      String device = fold.name();
      own.put(device, DeviceTransfer.of(fold));
      double excess = excess(fold.train());
      bounds.put(device, own.get(device).bounded(_ -> excess));
      Scored unseen = graph(inference.crossed(fold, Bench::network, TimmFolds.RANDOM_FOLDS));
      networks.put(device, unseen);
      shots.put(device, Shots.of(unseen, ShotCorrection.Group.DEVICE, 16));
      families.put(device, graph(inference.crossed(fold, Bench::family, TimmFolds.FAMILY_GROUPS)));
    }
    bench.addParts(
        "timm, device left out, networks measured on others", own, Bars.NONE, Bars.mape(15));
    bench.addParts(
        "timm, device left out, bound",
        bounds,
        Bars.NONE.and(StepTimeMetric.COVERAGE, 85),
        Bars.bound(93, 60));
    bench.addParts("timm, device and network left out", networks, Bars.NONE, Bars.mape(26));
    bench.addParts(
        "timm, device and network left out, + 16 rows of the device",
        shots,
        Bars.NONE,
        Bars.mape(21));
    bench.addParts("timm, device and family left out", families, Bars.NONE, Bars.mape(28.5));
  }

  /** The largest quantile among the training devices, each left out in turn. */
  private static double excess(List<StepTimeRun> train) {
    return Fold.leavingOut(train, Bench::device).stream()
        .map(DeviceTransfer::of)
        .filter(scored -> !scored.isEmpty())
        .mapToDouble(scored -> Quantiles.conformal(scored.residuals(), LEVEL))
        .max()
        .orElse(ASSUMED);
  }

  private void profiled() {
    Map<String, Scored> plain = new TreeMap<>();
    for (Fold direction : inference.directions()) {
      plain.put(direction.name(), DeviceTransfer.bounded(direction));
    }
    String protocol = "timm, profiled on another device";
    bench.addParts(protocol, unbounded(plain), Bars.NONE, Bars.mape(12.5));
    bench.addParts(protocol + ", + 4 rows", shots(plain, 4), Bars.NONE, Bars.mape(9));
    bench.addParts(protocol + ", + 16 rows", shots(plain, 16), Bars.NONE, Bars.mape(8));
    bench.addParts(
        protocol + ", bound",
        plain,
        Bars.NONE.and(StepTimeMetric.COVERAGE, 95),
        Bars.bound(95, 50));
  }

  private static Map<String, Scored> unbounded(Map<String, Scored> parts) {
    Map<String, Scored> result = new TreeMap<>();
    parts.forEach((name, scored) -> result.put(name, scored.bounded(_ -> Double.NaN)));
    return result;
  }

  private static Map<String, Scored> shots(Map<String, Scored> parts, int count) {
    Map<String, Scored> result = new TreeMap<>();
    parts.forEach(
        (name, scored) -> result.put(name, Shots.of(scored, ShotCorrection.Group.DEVICE, count)));
    return result;
  }

  /** The same network at the nearest other image size, scaled by multiply-accumulates. */
  private void sizes() {
    Function<StepTimeRun, String> setting =
        run -> String.join(" ", Bench.network(run), Bench.device(run), run.stack());
    Scored scored = new Scored();
    for (List<StepTimeRun> sized : Bench.grouped(inference.scored(), setting).values()) {
      for (StepTimeRun to : sized) {
        sized.stream()
            .filter(from -> from.network().inputs() != to.network().inputs())
            .min(Comparator.comparingDouble(from -> Math.abs(Math.log(macsRatio(from, to)))))
            .ifPresent(from ->
                scored.add(
                    to,
                    Math.log(from.secondsPerSample() * to.work().batch() * macsRatio(from, to))));
      }
    }
    bench.add("timm, same network at another size", scored, Bars.mape(3));
  }

  private static double macsRatio(StepTimeRun from, StepTimeRun to) {
    return to.work().macs() / from.work().macs();
  }

  private void training(String layout, Bars networkBars, Bars familyBars) {
    TimmFolds rows = all.only(run -> trains(run) && run.stack().endsWith(layout));
    if (rows.data().isEmpty()) {
      return;
    }
    String protocol = "timm training " + layout;
    bench.add(protocol + ", random folds", graph(rows.networks()), networkBars);
    bench.addBaselines(protocol + ", random folds", rows.networks());
    bench.add(protocol + ", family left out", graph(rows.families()), familyBars);
    bench.addBaselines(protocol + ", family left out", rows.families());
    Map<String, Scored> devices = new TreeMap<>();
    rows.devices().forEach(fold -> devices.put(fold.name(), graph(List.of(fold))));
    bench.addParts(protocol + ", device left out", devices, Bars.NONE, Bars.NONE);
    if (layout.equals("nchw")) {
      bench.add(
          protocol + " from its inference time, random folds",
          fromInference(rows.networks()),
          Bars.mape(9.5));
      bench.add(
          protocol + " from its inference time, family left out",
          fromInference(rows.families()),
          Bars.mape(11));
    }
  }

  private Scored fromInference(List<Fold> folds) {
    Function<StepTimeRun, String> key = run -> Bench.sized(run) + " " + Bench.device(run);
    Map<String, StepTimeRun> served = new TreeMap<>();
    inference.data().forEach(run -> served.putIfAbsent(key.apply(run), run));
    inference.test().forEach(run -> served.putIfAbsent(key.apply(run), run));
    Scored scored = new Scored();
    for (Fold fold : folds) {
      List<StepTimeRun> train =
          fold.train().stream().filter(run -> served.containsKey(key.apply(run))).toList();
      List<StepTimeRun> test =
          fold.test().stream().filter(run -> served.containsKey(key.apply(run))).toList();
      if (!train.isEmpty()) {
        RatioTrees ratios = RatioTrees.of(train, run -> served.get(key.apply(run)));
        scored.addAll(Scored.of(test, ratios::logSeconds));
      }
    }
    return scored;
  }
}
