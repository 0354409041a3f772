package dev.cotenant.evaluation.steptime;

import static dev.cotenant.evaluation.steptime.StepTimeFigures.OURS;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.predictor.steptime.FormulaFit;
import dev.cotenant.predictor.steptime.ResidualTrees;
import dev.cotenant.predictor.steptime.ShotOffset;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Vision networks on whole devices [timm]: totals of the graph and catalogue numbers. */
final class TimmProtocols {
  private static final int RANDOM_FOLDS = 5;
  private static final int FAMILY_GROUPS = 8;
  private static final int DRAWS = 5;
  private static final double LEVEL = 0.9;

  /** Bounds of families are raised by what ten rows in a thousand add to the level. */
  private static final double RAISED_LEVEL = 0.915;

  private static final double PROFILE_MARGIN = Math.log(1.1);

  private final List<StepTimeRun> runs;
  private final List<StepTimeFigures> figures = new ArrayList<>();

  TimmProtocols(List<StepTimeRun> runs) {
    this.runs = runs;
  }

  static String model(StepTimeRun run) {
    return run.network().name();
  }

  static String sized(StepTimeRun run) {
    return run.network().name() + "@" + run.network().inputs();
  }

  static String family(StepTimeRun run) {
    return run.network().family();
  }

  static String device(StepTimeRun run) {
    return run.part().device().id().value();
  }

  static boolean trains(StepTimeRun run) {
    return run.settings().mode() == ExecutionMode.TRAINING;
  }

  List<StepTimeFigures> inference() {
    List<StepTimeRun> rows = runs.stream().filter(run -> !trains(run)).toList();
    Scored random = graph(Fold.inGroups(rows, TimmProtocols::model, RANDOM_FOLDS));
    figures.add(random.figures("timm random folds by model", OURS, Bars.errors(19.5, 14, 76)));
    baselines(rows, "timm random folds by model", TimmProtocols::model, RANDOM_FOLDS);
    Scored left = graph(Fold.inGroups(rows, TimmProtocols::family, FAMILY_GROUPS));
    figures.add(left.figures("timm family left out", OURS, Bars.errors(23.5, 17, 68)));
    baselines(rows, "timm family left out", TimmProtocols::family, FAMILY_GROUPS);
    figures.add(shots(left, TimmProtocols::family, 1).figures("timm family left out + 1 row", OURS, Bars.mape(18.5)));
    figures.add(shots(left, TimmProtocols::family, 4).figures("timm family left out + 4 rows", OURS, Bars.mape(16)));
    familyBound(left);
    devices(rows);
    profiled(rows);
    sizes(rows);
    return figures;
  }

  /** Formula and trees, refitted for each fold. */
  static Scored graph(List<Fold> folds) {
    Scored scored = new Scored();
    for (Fold fold : folds) {
      ToDoubleFunction<StepTimeRun> model = fitted(fold.train());
      scored.addAll(Scored.of(fold.test(), model));
    }
    return scored;
  }

  static ToDoubleFunction<StepTimeRun> fitted(List<StepTimeRun> train) {
    StepTimeFormula formula = FormulaFit.of(train);
    return ResidualTrees.of(formula, train, 1)::logSeconds;
  }

  private void baselines(
      List<StepTimeRun> rows, String protocol, Function<StepTimeRun, String> key, int groups) {
    Baselines.all()
        .forEach((name, baseline) -> {
          Scored scored = new Scored();
          for (Fold fold : Fold.inGroups(rows, key, groups)) {
            scored.addAll(Scored.of(fold.test(), Baselines.scaled(baseline, fold.train())));
          }
          figures.add(scored.figures(protocol, name, Bars.NONE));
        });
  }

  /** Predictions moved by some measured rows of other models of the same group. */
  static Scored shots(Scored scored, Function<StepTimeRun, String> group, int shots) {
    Scored result = new Scored();
    Random random = new Random(shots);
    Map<String, List<Scored.Row>> groups =
        scored.rows().stream()
            .collect(Collectors.groupingBy(row -> group.apply(row.run()), TreeMap::new, Collectors.toList()));
    for (List<Scored.Row> rows : groups.values()) {
      List<String> models = new ArrayList<>(rows.stream().map(row -> model(row.run())).distinct().toList());
      for (int draw = 0; draw < DRAWS && models.size() > shots; draw++) {
        Collections.shuffle(models, random);
        List<String> known = List.copyOf(models.subList(0, shots));
        double offset = ShotOffset.of(known.stream().mapToDouble(name -> one(rows, name, random)).toArray());
        rows.stream()
            .filter(row -> !known.contains(model(row.run())))
            .forEach(row -> result.add(row.run(), row.predicted() + offset));
      }
    }
    return result;
  }

  private static double one(List<Scored.Row> rows, String name, Random random) {
    List<Scored.Row> own = rows.stream().filter(row -> model(row.run()).equals(name)).toList();
    return own.get(random.nextInt(own.size())).residual();
  }

  /** From rows of the other groups, each predicted without its own family. */
  private void familyBound(Scored left) {
    Map<Integer, Double> excess = new TreeMap<>();
    for (int group = 0; group < FAMILY_GROUPS; group++) {
      int own = group;
      double[] others =
          left.only(run -> Fold.groupOf(family(run), FAMILY_GROUPS) != own).residuals();
      excess.put(group, Quantiles.conformal(others, RAISED_LEVEL));
    }
    figures.add(
        left.bounded(run -> excess.getOrDefault(Fold.groupOf(family(run), FAMILY_GROUPS), 0.0))
            .figures("timm bound, family left out", OURS, Bars.bound(90, 60)));
    figures.add(left.bounded(_ -> Math.log(1.5)).figures("timm bound, family left out", "fixed x1.5", Bars.NONE));
  }

  private void devices(List<StepTimeRun> rows) {
    List<StepTimeFigures> known = new ArrayList<>();
    List<StepTimeFigures> bounds = new ArrayList<>();
    List<StepTimeFigures> models = new ArrayList<>();
    List<StepTimeFigures> shots = new ArrayList<>();
    List<StepTimeFigures> families = new ArrayList<>();
    for (Fold fold : Fold.leavingOut(rows, TimmProtocols::device)) {
      Scored own = elsewhere(fold);
      if (own.isEmpty()) {
        continue;
      }
      String device = " (" + fold.name() + ")";
      known.add(own.figures("timm device left out" + device, OURS, Bars.NONE));
      double excess = deviceExcess(fold.train());
      bounds.add(own.bounded(_ -> excess).figures("timm bound, device left out" + device, OURS, Bars.NONE.and(StepTimeMetric.COVERAGE, 85)));
      Scored unseen = crossed(fold, TimmProtocols::model, RANDOM_FOLDS);
      models.add(unseen.figures("timm device and model left out" + device, OURS, Bars.NONE));
      shots.add(shots(unseen, TimmProtocols::device, 16).figures("timm device and model left out + 16 rows" + device, OURS, Bars.NONE));
      families.add(crossed(fold, TimmProtocols::family, FAMILY_GROUPS).figures("timm device and family left out" + device, OURS, Bars.NONE));
    }
    addMean("timm device left out, mean", known, Bars.mape(15));
    addMean("timm bound, device left out, mean", bounds, Bars.bound(93, 60));
    addMean("timm device and model left out, mean", models, Bars.mape(26));
    addMean("timm device and model left out + 16 rows, mean", shots, Bars.mape(21));
    addMean("timm device and family left out, mean", families, Bars.mape(28.5));
  }

  private void addMean(String protocol, List<StepTimeFigures> parts, Bars bars) {
    if (!parts.isEmpty()) {
      figures.addAll(parts);
      figures.add(StepTimeFigures.mean(protocol, parts, bars));
    }
  }

  /** Neither the device nor the model was learned from. */
  private static Scored crossed(Fold fold, Function<StepTimeRun, String> key, int groups) {
    Scored scored = new Scored();
    for (int group = 0; group < groups; group++) {
      int own = group;
      Predicate<StepTimeRun> isOwn = run -> Fold.groupOf(key.apply(run), groups) == own;
      List<StepTimeRun> test = fold.test().stream().filter(isOwn).toList();
      if (!test.isEmpty()) {
        scored.addAll(Scored.of(test, fitted(fold.train().stream().filter(isOwn.negate()).toList())));
      }
    }
    return scored;
  }

  /** The model's own rows on other devices, each scaled by the catalogue; their mean. */
  static Scored elsewhere(Fold fold) {
    Map<String, List<StepTimeRun>> bySize =
        fold.train().stream().collect(Collectors.groupingBy(TimmProtocols::sized));
    Scored scored = new Scored();
    for (StepTimeRun run : fold.test()) {
      List<StepTimeRun> own = bySize.getOrDefault(sized(run), List.of());
      List<StepTimeRun> same = own.stream().filter(other -> other.stack().equals(run.stack())).toList();
      List<StepTimeRun> used = same.isEmpty() ? own : same;
      used.stream()
          .mapToDouble(other -> transferred(other, run))
          .average()
          .ifPresent(log -> scored.add(run, log));
    }
    return scored;
  }

  /** Log seconds of a run, from the same network on another device: half of both ratios. */
  static double transferred(StepTimeRun from, StepTimeRun to) {
    return Math.log(from.secondsPerSample() * to.work().batch())
        - (peakRatio(from, to) + bandwidthRatio(from, to)) / 2;
  }

  private static double peakRatio(StepTimeRun from, StepTimeRun to) {
    var precision = to.settings().precision();
    return Math.log(
        StepTimeFormula.teraflops(to.part().device(), precision)
            / StepTimeFormula.teraflops(from.part().device(), precision));
  }

  private static double plainPeakRatio(StepTimeRun from, StepTimeRun to) {
    var plain = dev.cotenant.domain.workload.Precision.FP32;
    return Math.log(
        to.part().device().peak().teraflops(plain) / from.part().device().peak().teraflops(plain));
  }

  private static double bandwidthRatio(StepTimeRun from, StepTimeRun to) {
    return Math.log(
        to.part().device().bandwidthGigabytesPerSecond()
            / from.part().device().bandwidthGigabytesPerSecond());
  }

  /** The largest quantile among the training devices, each left out in turn. */
  private static double deviceExcess(List<StepTimeRun> train) {
    return Fold.leavingOut(train, TimmProtocols::device).stream()
        .map(TimmProtocols::elsewhere)
        .filter(scored -> !scored.isEmpty())
        .mapToDouble(scored -> Quantiles.conformal(scored.residuals(), LEVEL))
        .max()
        .orElse(Math.log(2));
  }

  private void profiled(List<StepTimeRun> rows) {
    List<StepTimeFigures> plain = new ArrayList<>();
    List<StepTimeFigures> bounds = new ArrayList<>();
    List<StepTimeFigures> four = new ArrayList<>();
    List<StepTimeFigures> sixteen = new ArrayList<>();
    for (Fold direction : directions(rows)) {
      Map<String, StepTimeRun> own =
          direction.train().stream().collect(Collectors.toMap(TimmProtocols::sized, run -> run, (first, _) -> first));
      Scored scored = new Scored();
      for (StepTimeRun run : direction.test()) {
        StepTimeRun from = own.get(sized(run));
        if (from != null) {
          double least =
              Math.min(bandwidthRatio(from, run), Math.min(peakRatio(from, run), plainPeakRatio(from, run)));
          double bound =
              Math.log(from.secondsPerSample() * run.work().batch()) - least + PROFILE_MARGIN;
          scored.add(run, transferred(from, run), bound);
        }
      }
      if (scored.isEmpty()) {
        continue;
      }
      String name = " (" + direction.name() + ")";
      plain.add(scored.figures("timm profiled on another device" + name, OURS, Bars.NONE));
      bounds.add(scored.figures("timm bound, profiled on another device" + name, OURS, Bars.NONE.and(StepTimeMetric.COVERAGE, 95)));
      four.add(shots(scored, TimmProtocols::device, 4).figures("timm profiled on another device + 4 rows" + name, OURS, Bars.NONE));
      sixteen.add(shots(scored, TimmProtocols::device, 16).figures("timm profiled on another device + 16 rows" + name, OURS, Bars.NONE));
    }
    addMean("timm profiled on another device, mean", plain, Bars.mape(12.5));
    addMean("timm profiled on another device + 4 rows, mean", four, Bars.mape(9));
    addMean("timm profiled on another device + 16 rows, mean", sixteen, Bars.mape(8));
    addMean("timm bound, profiled on another device, mean", bounds, Bars.bound(95, 50));
  }

  /** Every ordered pair of devices within a stack. */
  private static List<Fold> directions(List<StepTimeRun> rows) {
    List<Fold> folds = new ArrayList<>();
    Map<String, List<StepTimeRun>> stacks =
        rows.stream().collect(Collectors.groupingBy(StepTimeRun::stack, TreeMap::new, Collectors.toList()));
    for (List<StepTimeRun> stack : stacks.values()) {
      Map<String, List<StepTimeRun>> devices =
          stack.stream().collect(Collectors.groupingBy(TimmProtocols::device, TreeMap::new, Collectors.toList()));
      devices.forEach((from, train) ->
          devices.forEach((to, test) -> {
            if (!from.equals(to)) {
              folds.add(new Fold(from + " to " + to, train, test));
            }
          }));
    }
    return folds;
  }

  /** The same model at another image size, scaled by multiply-accumulates. */
  private void sizes(List<StepTimeRun> rows) {
    Map<String, List<StepTimeRun>> models =
        rows.stream().collect(Collectors.groupingBy(run -> String.join(" ", model(run), device(run), run.stack()), TreeMap::new, Collectors.toList()));
    Scored scored = new Scored();
    for (List<StepTimeRun> sized : models.values()) {
      for (StepTimeRun to : sized) {
        sized.stream()
            .filter(from -> from.network().inputs() != to.network().inputs())
            .min(java.util.Comparator.comparingDouble(from -> Math.abs(Math.log(from.work().macs() / to.work().macs()))))
            .ifPresent(from ->
                scored.add(to, Math.log(from.secondsPerSample() * to.work().batch() * to.work().macs() / from.work().macs())));
      }
    }
    if (!scored.isEmpty()) {
      figures.add(scored.figures("timm same model at another size", OURS, Bars.mape(3)));
    }
  }

  List<StepTimeFigures> training() {
    for (String layout : List.of("nchw", "nhwc")) {
      List<StepTimeRun> rows =
          runs.stream().filter(run -> trains(run) && run.stack().endsWith(layout)).toList();
      if (!rows.isEmpty()) {
        boolean plain = layout.equals("nchw");
        String name = "timm training " + layout;
        List<Fold> random = Fold.inGroups(rows, TimmProtocols::model, RANDOM_FOLDS);
        List<Fold> family = Fold.inGroups(rows, TimmProtocols::family, FAMILY_GROUPS);
        figures.add(graph(random).figures(name + ", random folds", OURS, Bars.mape(plain ? 15 : 26)));
        figures.add(graph(family).figures(name + ", family left out", OURS, Bars.mape(plain ? 17 : 28)));
        if (plain) {
          Function<List<Fold>, Scored> fromInference = folds -> fromInference(folds);
          figures.add(fromInference.apply(random).figures(name + " from inference, random folds", OURS, Bars.mape(9.5)));
          figures.add(fromInference.apply(family).figures(name + " from inference, family left out", OURS, Bars.mape(11)));
        }
      }
    }
    return figures;
  }

  /** Trees on the ratio of a training to an inference sample of the same network and device. */
  private Scored fromInference(List<Fold> folds) {
    Map<String, StepTimeRun> served = new TreeMap<>();
    runs.stream()
        .filter(run -> !trains(run))
        .forEach(run -> served.putIfAbsent(sized(run) + device(run), run));
    Scored scored = new Scored();
    for (Fold fold : folds) {
      List<StepTimeRun> train = fold.train().stream().filter(run -> served.containsKey(sized(run) + device(run))).toList();
      List<StepTimeRun> test = fold.test().stream().filter(run -> served.containsKey(sized(run) + device(run))).toList();
      RatioTrees ratios = RatioTrees.of(train, run -> served.get(sized(run) + device(run)));
      scored.addAll(Scored.of(test, ratios::logSeconds));
    }
    return scored;
  }

  static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  static double[] sorted(double[] values) {
    double[] copy = values.clone();
    Arrays.sort(copy);
    return copy;
  }
}
