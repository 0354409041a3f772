package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.predictor.steptime.FormulaFit;
import dev.cotenant.predictor.steptime.MpsCopies;
import dev.cotenant.predictor.steptime.PartitionForm;
import dev.cotenant.predictor.steptime.StepTimeBounds;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import dev.cotenant.predictor.steptime.StepTimePredictor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** Inference in MIG instances, alone and beside MPS copies of itself [ParvaGPU]. */
final class SliceProtocols {
  private static final int DRAWS = 5;

  private static final double LEVEL = 0.9;

  /** Level of the bound from held-out networks, which are few. */
  private static final double WIDENED = 0.97;

  private static boolean isVision(StepTimeRun run) {
    return !Bench.network(run).startsWith("bert");
  }

  private final List<Fold> networks;
  private final List<StepTimeRun> scored;
  private final StepTimeFormula formula = StepTimeFormula.typical();
  private final Bench bench = new Bench();

  /** Cross-validates without rows to test. */
  SliceProtocols(List<StepTimeRun> data, List<StepTimeRun> test) {
    networks =
        test.isEmpty()
            ? Fold.leavingOut(data, Bench::network)
            : List.of(new Fold("test", data, test));
    scored = test.isEmpty() ? data : test;
  }

  private static List<StepTimeRun> solo(List<StepTimeRun> runs) {
    return runs.stream().filter(run -> run.copies() == 1).toList();
  }

  List<StepTimeFigures> evaluate() {
    constants();
    leftOut();
    cells(8, 6.5);
    cells(12, 5.5);
    slices();
    smallest();
    copies();
    return bench.figures();
  }

  private void constants() {
    String protocol = "constants -> ParvaGPU alone";
    Scored all = Scored.of(solo(scored), run -> Math.log(FormulaFit.stepSeconds(formula, run)));
    bench.add(protocol, all, Bars.mape(17));
    bench.add(protocol + ", vision", all.only(SliceProtocols::isVision), Bars.mape(14));
  }

  private void leftOut() {
    Scored all = leftOut(networks);
    String protocol = "ParvaGPU alone, network left out";
    bench.add(protocol, all, Bars.mape(13));
    bench.add(protocol + ", vision", all.only(SliceProtocols::isVision), Bars.errors(9, 7.5, 97));
    bench.addBaselines(
        protocol,
        networks.stream()
            .map(fold -> new Fold(fold.name(), solo(fold.train()), solo(fold.test())))
            .filter(fold -> !fold.train().isEmpty() && !fold.test().isEmpty())
            .toList());
    bench.add(
        protocol + ", vision, bound",
        bounded(all).only(SliceProtocols::isVision),
        Bars.bound(95, 25));
  }

  /** Widened by residuals of other networks, each predicted without its own rows. */
  private Scored bounded(Scored left) {
    Scored result = new Scored();
    for (Fold fold : networks) {
      Scored own = left.only(fold.test()::contains);
      Scored learned =
          networks.size() > 1
              ? left.only(run -> !fold.test().contains(run))
              : leftOut(Fold.leavingOut(fold.train(), Bench::network));
      double[] residuals = learned.only(SliceProtocols::isVision).residuals();
      if (residuals.length > 0) {
        double excess = Quantiles.conformal(residuals, WIDENED);
        result.addAll(own.bounded(_ -> excess));
      }
    }
    return result;
  }

  private static Scored leftOut(List<Fold> folds) {
    Scored all = new Scored();
    for (Fold fold : folds) {
      StepTimeFormula fitted = FormulaFit.of(solo(fold.train()));
      all.addAll(
          Scored.of(solo(fold.test()), run -> Math.log(FormulaFit.stepSeconds(fitted, run))));
    }
    return all;
  }

  /** From random cells of each network; the others are scored. */
  private void cells(int count, double bar) {
    Scored result = new Scored();
    Random random = new Random(count);
    for (List<StepTimeRun> network : Bench.grouped(solo(scored), Bench::network).values()) {
      List<StepTimeRun> shuffled = new ArrayList<>(network);
      for (int draw = 0; draw < DRAWS && network.size() > count; draw++) {
        Collections.shuffle(shuffled, random);
        PartitionForm form = PartitionForm.of(shuffled.subList(0, count), formula);
        result.addAll(
            Scored.of(shuffled.subList(count, shuffled.size()), run -> logSeconds(form, run)));
      }
    }
    bench.add("ParvaGPU alone, " + count + " cells a network", result, Bars.mape(bar));
  }

  private static double logSeconds(PartitionForm form, StepTimeRun run) {
    return Math.log(form.seconds(run.part(), run.work().batch()));
  }

  private static int slices(StepTimeRun run) {
    return (int) Math.round(run.part().smShare() * 7 * 108 / 98);
  }

  private void slices() {
    for (int slice : new int[] {7, 3, 1}) {
      Scored result = new Scored();
      for (List<StepTimeRun> network : Bench.grouped(solo(scored), Bench::network).values()) {
        List<StepTimeRun> train = network.stream().filter(run -> slices(run) != slice).toList();
        if (!train.isEmpty()) {
          PartitionForm form = PartitionForm.of(train, formula);
          result.addAll(
              Scored.of(
                  network.stream().filter(run -> slices(run) == slice).toList(),
                  run -> logSeconds(form, run)));
        }
      }
      bench.add("ParvaGPU alone, slice of " + slice + " left out", result, Bars.mape(5.5));
    }
  }

  /** By the shipped formula and its bound, as claims of MIG devices are chosen. */
  private void smallest() {
    SmallestSlice all = new SmallestSlice(this::upperSeconds);
    SmallestSlice vision = new SmallestSlice(this::upperSeconds);
    Bench.grouped(solo(scored), run -> Bench.network(run) + "/" + run.work().batch())
        .values()
        .forEach(runs -> {
          all.choose(runs);
          if (isVision(runs.getFirst())) {
            vision.choose(runs);
          }
        });
    bench.addAll(all.figures("ParvaGPU alone, smallest slice", Bars.NONE));
    bench.addAll(vision.figures("ParvaGPU alone, smallest slice, vision", Bars.NONE));
  }

  private double upperSeconds(StepTimeRun run) {
    return StepTimePredictor.builtIn()
        .predict(run.work(), run.settings(), run.part())
        .at(StepTimeBounds.OPERATORS, Coverage.of(LEVEL))
        .estimate()
        .upperSeconds();
  }

  private void copies() {
    Solos solos = Solos.of(networks, formula);
    Scored all = leftOutCopies(networks, solos, solos::of);
    Scored vision = leftOutCopies(only(SliceProtocols::isVision), solos, solos::of);
    String protocol = "ParvaGPU copies, network left out";
    bench.add(protocol, all, Bars.mape(12.5));
    bench.add(protocol + ", vision", vision, Bars.mape(6));
    bench.add(protocol + ", 2 of its cells", points(solos), Bars.mape(9));
    bench.add(protocol + ", bound", copiesBound(solos), Bars.bound(89, 16));
    Scored sum = new Scored();
    all.rows().forEach(row -> sum.add(row.run(), row.predicted(), solos.logUpper(row.run())));
    bench.add(
        protocol + ", bound of n times alone", sum, Bars.NONE.and(StepTimeMetric.COVERAGE, 99.9));
  }

  /** The folds with a part of their rows. */
  private List<Fold> only(Predicate<StepTimeRun> condition) {
    return networks.stream()
        .map(fold ->
            new Fold(
                fold.name(),
                fold.train().stream().filter(condition).toList(),
                fold.test().stream().filter(condition).toList()))
        .filter(fold -> !fold.test().isEmpty())
        .toList();
  }

  private static Scored leftOutCopies(List<Fold> folds, Solos solos, MpsCopies.ToSolo solo) {
    Scored scored = new Scored();
    for (Fold fold : folds) {
      MpsCopies fitted = MpsCopies.of(solos.copies(fold.train()), solo, MpsCopies.TYPICAL);
      scored.addAll(
          Scored.of(
              solos.copies(fold.test()),
              run -> Math.log(fitted.seconds(solo.of(run), run.copies()))));
    }
    return scored;
  }

  /** Widened by residuals of other networks; at most the sum of the copies run sequentially. */
  private Scored copiesBound(Solos solos) {
    List<Fold> folds =
        networks.stream()
            .map(fold ->
                new Fold(
                    fold.name(),
                    fold.train().stream().filter(SliceProtocols::isVision).toList(),
                    fold.test()))
            .toList();
    Scored left = leftOutCopies(folds, solos, solos::cautious);
    Scored result = new Scored();
    for (Fold fold : folds) {
      Scored learned =
          folds.size() > 1
              ? left.only(run -> !fold.test().contains(run))
              : leftOutCopies(
                  Fold.leavingOut(fold.train(), Bench::network), solos, solos::cautious);
      if (!learned.isEmpty()) {
        double excess = Quantiles.conformal(learned.residuals(), LEVEL);
        left.only(fold.test()::contains)
            .rows()
            .forEach(row ->
                result.add(
                    row.run(),
                    row.predicted(),
                    Math.min(row.predicted() + excess, solos.logUpper(row.run()))));
      }
    }
    return result;
  }

  /** Refitted with two cells of each network, from what the other networks say. */
  private Scored points(Solos solos) {
    Scored result = new Scored();
    Random random = new Random(2);
    for (Fold fold : networks) {
      MpsCopies before = MpsCopies.of(solos.copies(fold.train()), solos::of, MpsCopies.TYPICAL);
      for (List<StepTimeRun> network :
          Bench.grouped(solos.copies(fold.test()), Bench::network).values()) {
        List<StepTimeRun> shuffled = new ArrayList<>(network);
        for (int draw = 0; draw < DRAWS && network.size() > 2; draw++) {
          Collections.shuffle(shuffled, random);
          MpsCopies fitted = MpsCopies.of(shuffled.subList(0, 2), solos::of, before);
          result.addAll(
              Scored.of(
                  shuffled.subList(2, shuffled.size()),
                  run -> Math.log(fitted.seconds(solos.of(run), run.copies()))));
        }
      }
    }
    return result;
  }
}
