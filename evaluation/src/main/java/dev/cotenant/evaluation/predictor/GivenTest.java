package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * Tests one predictor, as it answers users, on given measured runs: protocol {@code given-test}.
 * Every row counts, whatever its mode, precision or device.
 */
public final class GivenTest {
  private static final String PROTOCOL = "given-test";

  private final Predictor predictor;
  private final DeviceCatalogue catalogue;

  public GivenTest(Predictor predictor, DeviceCatalogue catalogue) {
    this.predictor = predictor;
    this.catalogue = catalogue;
  }

  /**
   * The figures on clean and on all rows, of each target that rows measure.
   *
   * @throws dev.cotenant.domain.InputException ({@code unknown-device}) when a row ran on a device
   *     that the catalogue lacks
   */
  public List<EvaluationRow> evaluate(List<ProfileRow> rows) {
    List<ProfileRow> clean = rows.stream().filter(row -> row.quality() == Quality.CLEAN).toList();
    List<EvaluationRow> table = new ArrayList<>(evaluate(clean, PROTOCOL + "/clean"));
    table.addAll(evaluate(rows, PROTOCOL + "/all"));
    return table;
  }

  private List<EvaluationRow> evaluate(List<ProfileRow> rows, String protocol) {
    Tally utilization = new Tally(Target.UTILIZATION);
    Tally memory = new Tally(Target.PEAK_MEMORY);
    PrecisionRatios ratios = new PrecisionRatios();
    for (ProfileRow row : rows) {
      Prediction prediction =
          predictor.predict(
              row.features(), row.settings(), catalogue.require(row.device().value()));
      Utilization busy = row.utilization();
      if (busy != null) {
        utilization.add(row, log(prediction.utilization().mean()));
        utilization.addBound(busy.compareTo(prediction.utilization().upper()) <= 0);
      }
      MemorySize peak = row.peakMemory();
      if (peak != null && peak.bytes() > 0) {
        memory.add(row, log(prediction.peakMemory().mean()));
        ratios.add(row, peak, prediction.peakMemory().mean());
        memory.addBound(peak.isAtMost(prediction.peakMemory().upper()));
      }
    }
    List<EvaluationRow> table = new ArrayList<>();
    table.addAll(utilization.rows(protocol));
    table.addAll(memory.rows(protocol));
    table.addAll(rows(ratios, protocol));
    return table;
  }

  private static List<EvaluationRow> rows(PrecisionRatios ratios, String protocol) {
    List<Double> errors = ratios.errors();
    if (errors.isEmpty()) {
      return List.of();
    }
    Figures figures = new Figures(Target.PEAK_MEMORY.task(), References.NONE);
    figures
        .under(protocol)
        .add(
            Competitor.HYBRID.label(),
            "amp_ratio_median_ape",
            PrecisionRatios.median(errors),
            errors.size());
    return figures.rows();
  }

  private static double log(Utilization utilization) {
    return Math.log1p(utilization.percent());
  }

  private static double log(MemorySize memory) {
    return Math.log(memory.toMiB());
  }

  private static final class Tally {
    private final Target target;
    private final Scores scores = new Scores();
    private int held;

    Tally(Target target) {
      this.target = target;
    }

    void add(ProfileRow row, double predicted) {
      scores.add(target.plainLogOf(row), predicted);
    }

    void addBound(boolean holds) {
      held += holds ? 1 : 0;
    }

    List<EvaluationRow> rows(String protocol) {
      if (scores.isEmpty()) {
        return List.of();
      }
      Figures figures = new Figures(target.task(), References.NONE);
      Figures.Sheet sheet = figures.under(protocol);
      String model = Competitor.HYBRID.label();
      int count = scores.size();
      sheet.add(model, "rmsle", LogErrors.rmsle(scores), count);
      sheet.add(model, LogErrors.plainMetric(target), LogErrors.plainError(target, scores), count);
      sheet.add(model, "bound_coverage", (double) held / count, count);
      return figures.rows();
    }
  }
}
