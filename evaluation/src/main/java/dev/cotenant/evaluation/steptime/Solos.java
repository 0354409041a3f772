package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.predictor.steptime.MpsCopies;
import dev.cotenant.predictor.steptime.PartitionForm;
import dev.cotenant.predictor.steptime.StepTime;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What each network does alone in each part.
 *
 * @param measured seconds of a step, by cell
 * @param forms by network
 * @param formula separates input copies from other host work, which copies do not wait for
 */
record Solos(
    Map<Cell, Double> measured, Map<String, PartitionForm> forms, StepTimeFormula formula) {
  private record Cell(String network, double smShare, int batch) {
    static Cell of(StepTimeRun run) {
      return new Cell(Bench.network(run), run.part().smShare(), run.work().batch());
    }
  }

  static Solos of(List<Fold> folds, StepTimeFormula formula) {
    Map<Cell, Double> measured = new HashMap<>();
    Map<String, PartitionForm> forms = new HashMap<>();
    for (Fold fold : folds) {
      for (List<StepTimeRun> rows : List.of(fold.train(), fold.test())) {
        List<StepTimeRun> alone = rows.stream().filter(run -> run.copies() == 1).toList();
        alone.forEach(run -> measured.put(Cell.of(run), run.seconds()));
        Bench.grouped(alone, Bench::network)
            .forEach((name, cells) ->
                forms.computeIfAbsent(name, _ -> PartitionForm.of(cells, formula)));
      }
    }
    return new Solos(measured, forms, formula);
  }

  /** Rows of several copies whose time alone was measured. */
  List<StepTimeRun> copies(List<StepTimeRun> runs) {
    return runs.stream()
        .filter(run -> run.copies() > 1 && measured.containsKey(Cell.of(run)))
        .toList();
  }

  MpsCopies.Solo of(StepTimeRun run) {
    Double seconds = measured.get(Cell.of(run));
    PartitionForm form = forms.get(Bench.network(run));
    if (seconds == null || form == null) {
      throw new IllegalArgumentException(run.place() + " was not measured alone");
    }
    StepTime parts = form.parts(run.part(), run.work().batch());
    double copied = formula.of(run.work(), run.settings(), run.part()).copySeconds();
    double copy = Math.min(parts.copySeconds(), copied);
    return new MpsCopies.Solo(
        seconds, new StepTime(parts.gpuSeconds(), parts.launchSeconds(), copy));
  }

  /** The same where copies wait for all host work of a sample. */
  MpsCopies.Solo cautious(StepTimeRun run) {
    MpsCopies.Solo solo = of(run);
    PartitionForm form = forms.get(Bench.network(run));
    return new MpsCopies.Solo(
        solo.seconds(), form == null ? solo.parts() : form.parts(run.part(), run.work().batch()));
  }

  /** Copies one after the other. */
  double logUpper(StepTimeRun run) {
    return Math.log(MpsCopies.upperSeconds(of(run).seconds(), run.copies()));
  }
}
