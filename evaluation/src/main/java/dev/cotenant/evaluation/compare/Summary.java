package dev.cotenant.evaluation.compare;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import dev.cotenant.evaluation.References;
import dev.cotenant.predictor.model.Target;
import java.util.ArrayList;
import java.util.List;

/** Turns errors by learner and draw into the rows of a table. */
final class Summary {
  static final String FOREST = "forest";
  static final String GAIN = "rmsle_gain_over_forest";

  private final String protocol;
  private final List<String> models;

  Summary(String protocol, List<String> models) {
    this.protocol = protocol;
    this.models = List.copyOf(models);
  }

  /**
   * Every model's errors, then every other model's gain over the forest.
   *
   * @param seed decides the resamples of intervals
   */
  List<EvaluationRow> rows(DrawScores scores, long seed) {
    List<EvaluationRow> rows = new ArrayList<>();
    for (int i = 0; i < models.size(); i++) {
      String model = models.get(i);
      rows.add(row(model, "rmsle", scores.rmsle(i)));
      rows.add(row(model, "mae_points", scores.meanPoints(i)));
    }
    int forest = models.indexOf(FOREST);
    for (int i = 0; forest >= 0 && i < models.size(); i++) {
      if (i != forest) {
        addGain(rows, models.get(i), scores.gain(i, forest), seed);
      }
    }
    return rows;
  }

  private void addGain(List<EvaluationRow> rows, String model, double[] gain, long seed) {
    PairedGain interval = PairedGain.of(gain, seed);
    rows.add(row(model, GAIN, gain));
    rows.add(bound(model, GAIN + "_lower95", interval.lower(), gain.length));
    rows.add(bound(model, GAIN + "_upper95", interval.upper(), gain.length));
  }

  private Subject subject(String model, String metric) {
    return new Subject(Target.UTILIZATION.task(), protocol, model, metric);
  }

  private EvaluationRow row(String model, String metric, double[] values) {
    Subject subject = subject(model, metric);
    return EvaluationRow.overSeeds(
        subject, values, Table3.TEST_ROWS, References.PUBLISHED.find(subject));
  }

  private EvaluationRow bound(String model, String metric, double value, int draws) {
    return EvaluationRow.constant(subject(model, metric), value, Table3.TEST_ROWS, draws);
  }
}
