package dev.cotenant.evaluation.shareability;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.evaluation.steptime.StepTimeEvaluation;
import dev.cotenant.evaluation.steptime.StepTimeFigures;
import dev.cotenant.evaluation.steptime.StepTimeMetric;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often the bounds of inference hold: those of step times, from which utilization at a request
 * rate follows. Families, devices and networks are left out as in {@link StepTimeEvaluation}.
 */
public final class InferenceBounds {
  private static final String METRIC = "bound_coverage/step-time";

  private InferenceBounds() {}

  /**
   * The coverage under each protocol that scores bounds, as {@code bound_coverage/step-time}, and
   * that of all rows of networks, families and devices that are left out.
   */
  public static List<EvaluationRow> evaluate(Map<String, List<StepTimeRun>> byFormat) {
    Map<String, List<StepTimeRun>> inference = new TreeMap<>();
    byFormat.forEach((format, runs) ->
        inference.put(
            format,
            runs.stream()
                .filter(run -> run.settings().mode() == ExecutionMode.INFERENCE)
                .toList()));
    double held = 0;
    int rows = 0;
    Figures figures = new Figures(Shareability.TASK, References.NONE);
    for (StepTimeFigures line : new StepTimeEvaluation(inference, Map.of()).evaluate()) {
      Double coverage = line.values().get(StepTimeMetric.COVERAGE);
      if (coverage != null && line.model().equals(StepTimeFigures.OURS)) {
        figures
            .under("inference: " + line.protocol())
            .add(line.model(), METRIC, coverage / Percent.WHOLE, line.rows());
        if (isLeftOut(line.protocol())) {
          held += coverage / Percent.WHOLE * line.rows();
          rows += line.rows();
        }
      }
    }
    if (rows > 0) {
      figures
          .under("inference: left out, pooled")
          .add(StepTimeFigures.OURS, METRIC, held / rows, rows);
    }
    return figures.rows();
  }

  /** Whether each row is judged once, by bounds that its kind has not decided. */
  private static boolean isLeftOut(String protocol) {
    return protocol.contains("left out")
        && !protocol.endsWith(", mean")
        && !protocol.endsWith("n times alone");
  }
}
