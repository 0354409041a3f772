package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.predictor.steptime.MpsCopies;
import dev.cotenant.predictor.steptime.PartitionForm;
import dev.cotenant.predictor.steptime.StepTimeFormula;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What each network does alone in each part.
 *
 * @param measured seconds of a step, by cell
 * @param forms by network
 */
record Solos(Map<Cell, Double> measured, Map<String, PartitionForm> forms) {
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
    return new Solos(measured, forms);
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
    return new MpsCopies.Solo(seconds, form.parts(run.part(), run.work().batch()));
  }

  double logSeconds(MpsCopies copies, StepTimeRun run) {
    return Math.log(copies.seconds(of(run), run.copies()));
  }

  /** Copies one after the other. */
  double logUpper(StepTimeRun run) {
    return Math.log(MpsCopies.upperSeconds(of(run).seconds(), run.copies()));
  }
}
