package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.evaluation.fill.FillCase;
import dev.cotenant.evaluation.fill.FillLine;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Named training jobs whose family and host were not learned from, by origin. */
public final class NamedFills {
  private final DeviceCatalogue catalogue;
  private final long seed;

  public NamedFills(DeviceCatalogue catalogue, long seed) {
    this.catalogue = catalogue;
    this.seed = seed;
  }

  /** The curves of the origins of rows that measure peak memory of named jobs; none without. */
  public List<FillLine> of(List<ProfileRow> rows, TrainingProgress progress) {
    List<ProfileRow> clean =
        PredictorEvaluation.Selection.CLEAN.of(rows).stream()
            .filter(Target.PEAK_MEMORY::isMeasured)
            .toList();
    Map<String, List<FillLine>> lines = new TreeMap<>();
    int done = 0;
    for (double level : FillLine.LEVELS) {
      Map<String, List<FillCase>> cases = new TreeMap<>();
      new NamedJobs(catalogue, level, seed)
          .unknown(clean)
          .forEach(job ->
              cases
                  .computeIfAbsent(Folds.origin(job.row()), _ -> new ArrayList<>())
                  .add(caseOf(job)));
      cases.forEach((origin, some) -> {
        List<FillLine> curve = lines.computeIfAbsent(origin, _ -> FillLine.rules(origin, some));
        curve.add(FillLine.at(origin, level, some));
      });
      progress.advanced("named jobs", ++done, FillLine.LEVELS.size());
    }
    return lines.values().stream().flatMap(List::stream).toList();
  }

  private FillCase caseOf(NamedJobs.Bounded job) {
    double card = catalogue.require(job.row().device().value()).memory().bytes();
    return new FillCase(bytes(job.measured()), bytes(job.mean()), bytes(job.upper()), card);
  }

  private static double bytes(double logOfMebibytes) {
    return Math.exp(logOfMebibytes) * MemorySize.MIB;
  }
}
