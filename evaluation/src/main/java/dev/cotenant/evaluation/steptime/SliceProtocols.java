package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.predictor.steptime.FormulaFit;
import dev.cotenant.predictor.steptime.MpsCopies;
import dev.cotenant.predictor.steptime.PartitionForm;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Inference in MIG instances, alone and beside MPS copies of itself [ParvaGPU]. */
final class SliceProtocols {
  private static final int DRAWS = 5;
  private static final double LEVEL = 0.9;

  /** The level of the bound of networks left out, of which there are few. */
  private static final double WIDENED = 0.97;

  private static final Predicate<StepTimeRun> VISION =
      run -> !Bench.network(run).startsWith("bert");

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
    copies();
    return bench.figures();
  }

  private void constants() {
    String protocol = "constants -> ParvaGPU alone";
    Scored all =
        Scored.of(solo(scored), run -> Math.log(FormulaFit.stepSeconds(formula, run)));
    bench.add(protocol, all, Bars.mape(17));
    bench.add(protocol + ", vision", all.only(VISION), Bars.mape(14));
  }

  private void leftOut() {
    Scored all = new Scored();
    for (Fold fold : networks) {
      StepTimeFormula fitted = FormulaFit.of(solo(fold.train()));
      all.addAll(
          Scored.of(
              solo(fold.test()), run -> Math.log(FormulaFit.stepSeconds(fitted, run))));
    }
    String protocol = "ParvaGPU alone, network left out";
    bench.add(protocol, all, Bars.mape(13));
    bench.add(protocol + ", vision", all.only(VISION), Bars.errors(9, 7.5, 97));
    bench.addBaselines(
        protocol,
        networks.stream()
            .map(fold -> new Fold(fold.name(), solo(fold.train()), solo(fold.test())))
            .filter(fold -> !fold.train().isEmpty() && !fold.test().isEmpty())
            .toList());
    bench.add(protocol + ", vision, bound", bounded().only(VISION), Bars.bound(95, 25));
  }

  /** Widened by residuals of networks that were left out among those learned from. */
  private Scored bounded() {
    Scored result = new Scored();
    for (Fold fold : networks) {
      List<StepTimeRun> vision = solo(fold.train()).stream().filter(VISION).toList();
      Scored left = new Scored();
      for (Fold inner : Fold.leavingOut(vision, Bench::network)) {
        StepTimeFormula fitted = FormulaFit.of(inner.train());
        left.addAll(
            Scored.of(
                inner.test(), run -> Math.log(FormulaFit.stepSeconds(fitted, run))));
      }
      if (!left.isEmpty()) {
        double excess = Quantiles.conformal(left.residuals(), WIDENED);
        StepTimeFormula fitted = FormulaFit.of(vision);
        result.addAll(
            Scored.of(
                    solo(fold.test()), run -> Math.log(FormulaFit.stepSeconds(fitted, run)))
                .bounded(_ -> excess));
      }
    }
    return result;
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

  private void copies() {
    Scored all = new Scored();
    Scored bounded = new Scored();
    Scored pointed = new Scored();
    Map<String, Scored> left = new TreeMap<>();
    Solos solos = Solos.of(networks, formula);
    for (Fold fold : networks) {
      MpsCopies fitted = MpsCopies.of(solos.copies(fold.train()), solos::of, MpsCopies.TYPICAL);
      Scored own = Scored.of(solos.copies(fold.test()), run -> solos.logSeconds(fitted, run));
      all.addAll(own);
      left.put(fold.name(), own);
      Scored trained =
          Scored.of(solos.copies(fold.train()), run -> solos.logSeconds(fitted, run));
      double excess = Quantiles.conformal(trained.residuals(), LEVEL);
      bounded.addAll(own.bounded(_ -> excess));
      pointed.addAll(points(fold, fitted, solos));
    }
    String protocol = "ParvaGPU copies, network left out";
    bench.add(protocol, all, Bars.mape(12.5));
    bench.add(protocol + ", vision", all.only(VISION), Bars.mape(6));
    bench.add(protocol + ", 2 of its cells", pointed, Bars.mape(9));
    bench.add(protocol + ", bound", bounded, Bars.bound(89, 16));
    Scored sum = new Scored();
    all.rows().forEach(row ->
        sum.add(row.run(), row.predicted(), solos.logUpper(row.run())));
    bench.add(
        protocol + ", bound of n times alone",
        sum,
        Bars.NONE.and(StepTimeMetric.COVERAGE, 99.9));
  }

  /** Refitted with two cells of each network, which count as much as the others together. */
  private static Scored points(Fold fold, MpsCopies before, Solos solos) {
    Scored result = new Scored();
    Random random = new Random(2);
    for (List<StepTimeRun> network :
        Bench.grouped(solos.copies(fold.test()), Bench::network).values()) {
      List<StepTimeRun> shuffled = new ArrayList<>(network);
      for (int draw = 0; draw < DRAWS && network.size() > 2; draw++) {
        Collections.shuffle(shuffled, random);
        MpsCopies fitted = MpsCopies.of(shuffled.subList(0, 2), solos::of, before);
        result.addAll(
            Scored.of(
                shuffled.subList(2, shuffled.size()), run -> solos.logSeconds(fitted, run)));
      }
    }
    return result;
  }
}
