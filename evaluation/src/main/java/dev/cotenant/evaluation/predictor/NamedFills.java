package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.evaluation.fill.FillCase;
import dev.cotenant.evaluation.fill.FillLine;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
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
  public List<FillLine> of(List<ProfileRow> rows) {
    List<ProfileRow> clean =
        PredictorEvaluation.Selection.CLEAN.of(rows).stream()
            .filter(Target.PEAK_MEMORY::isMeasured)
            .toList();
    Map<String, List<FillLine>> lines = new TreeMap<>();
    new NamedJobs(catalogue, FillLine.LEVELS.getLast(), seed)
        .unknown(clean, FillLine.LEVELS)
        .forEach((level, jobs) -> add(lines, level, jobs));
    return lines.values().stream().flatMap(List::stream).toList();
  }

  private void add(Map<String, List<FillLine>> lines, double level, List<NamedJobs.Bounded> jobs) {
    Map<String, List<FillCase>> cases = new TreeMap<>();
    jobs.forEach(job ->
        cases.computeIfAbsent(Folds.origin(job.row()), _ -> new ArrayList<>()).add(caseOf(job)));
    cases.forEach((origin, some) ->
        lines
            .computeIfAbsent(origin, _ -> FillLine.rules(origin, some))
            .add(FillLine.at(origin, level, some)));
  }

  private FillCase caseOf(NamedJobs.Bounded job) {
    double card = catalogue.require(job.row().device().value()).memory().bytes();
    return new FillCase(bytes(job.measured()), bytes(job.mean()), bytes(job.upper()), card);
  }

  private static double bytes(double logOfMebibytes) {
    return Math.exp(logOfMebibytes) * MemorySize.MIB;
  }
}
