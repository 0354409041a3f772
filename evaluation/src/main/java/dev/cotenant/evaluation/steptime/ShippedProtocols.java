package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.steptime.StepTimeBounds;
import dev.cotenant.predictor.steptime.StepTimePredictor;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The predictor that the project ships, with its bounds, on runs of one copy. */
final class ShippedProtocols {
  /** The set of which only totals of networks are known. */
  private static final String TOTALS_FORMAT = "timm";

  private final StepTimePredictor predictor = StepTimePredictor.builtIn();

  /** One line for each format, mode and device. */
  List<StepTimeFigures> evaluate(Map<String, List<StepTimeRun>> byFormat) {
    Bench bench = new Bench();
    new TreeMap<>(byFormat)
        .forEach((format, runs) ->
            Bench.grouped(
                    runs.stream().filter(run -> run.copies() == 1).toList(),
                    run -> run.settings().mode() + ", " + Bench.device(run))
                .forEach((group, some) ->
                    bench.add(
                        "shipped, bound at 90 %, " + format + " " + group,
                        scored(some, !format.equals(TOTALS_FORMAT)),
                        Bars.NONE)));
    return bench.figures();
  }

  private Scored scored(List<StepTimeRun> runs, boolean hasOperators) {
    Scored scored = new Scored();
    for (StepTimeRun run : runs) {
      StepTimeEstimate estimate =
          predictor
              .predict(run.work(), run.settings(), run.part())
              .at(StepTimeBounds.of(run.settings(), hasOperators), Coverage.STANDARD)
              .estimate();
      scored.add(run, Math.log(estimate.meanSeconds()), Math.log(estimate.upperSeconds()));
    }
    return scored;
  }
}
