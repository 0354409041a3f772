package dev.cotenant.evaluation.compare;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import dev.cotenant.evaluation.References;
import dev.cotenant.predictor.model.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The errors of learners on the same draws as rows of a table.
 *
 * @param models names of the learners
 * @param draws for each draw the errors of every learner, in the order of the names
 */
record DrawFigures(String protocol, List<String> models, List<List<Draw.Errors>> draws) {
  private static final String FOREST = "forest";
  private static final String GAIN = "rmsle_gain_over_forest";

  /**
   * Every model's errors, then every other model's gain over the forest.
   *
   * @param seed decides the resamples of intervals
   */
  List<EvaluationRow> rows(long seed) {
    List<EvaluationRow> rows = new ArrayList<>();
    for (int i = 0; i < models.size(); i++) {
      rows.add(row(models.get(i), "rmsle", values(i, Draw.Errors::rmsle)));
      rows.add(row(models.get(i), "mae_points", values(i, Draw.Errors::meanPoints)));
    }
    int forest = models.indexOf(FOREST);
    for (int i = 0; forest >= 0 && i < models.size(); i++) {
      if (i != forest) {
        addGain(rows, models.get(i), gain(i, forest), seed);
      }
    }
    return rows;
  }

  private double[] values(int model, ToDoubleFunction<Draw.Errors> figure) {
    return draws.stream().mapToDouble(errors -> figure.applyAsDouble(errors.get(model))).toArray();
  }

  /** By how much a model's RMSLE is below another's, draw by draw. */
  private double[] gain(int model, int over) {
    return draws.stream()
        .mapToDouble(errors -> errors.get(over).rmsle() - errors.get(model).rmsle())
        .toArray();
  }

  private void addGain(List<EvaluationRow> rows, String model, double[] gain, long seed) {
    PairedGain interval = PairedGain.of(gain, seed);
    rows.add(row(model, GAIN, gain));
    rows.add(bound(model, GAIN + "_lower95", interval.lower()));
    rows.add(bound(model, GAIN + "_upper95", interval.upper()));
  }

  private Subject subject(String model, String metric) {
    return new Subject(Target.UTILIZATION.task(), protocol, model, metric);
  }

  private EvaluationRow row(String model, String metric, double[] values) {
    Subject subject = subject(model, metric);
    return EvaluationRow.overSeeds(
        subject, values, Table3.TEST_ROWS, References.PUBLISHED.find(subject));
  }

  private EvaluationRow bound(String model, String metric, double value) {
    return EvaluationRow.constant(subject(model, metric), value, Table3.TEST_ROWS, draws.size());
  }
}
