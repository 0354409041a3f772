package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one model under one protocol.
 *
 * @param model {@code cotenant} or a baseline
 * @param rows how many rows were scored
 */
public record StepTimeFigures(
    String protocol, String model, int rows, Map<StepTimeMetric, Double> values, Bars bars) {
  /** The name of what the project predicts with. */
  public static final String OURS = "cotenant";

  public static final String TASK = "step-time";

  public StepTimeFigures {
    values = Map.copyOf(values);
  }

  /** The mean of several figures, each of its own rows: of devices, directions or slices. */
  static StepTimeFigures mean(String protocol, List<StepTimeFigures> parts, Bars bars) {
    Map<StepTimeMetric, Double> means = new EnumMap<>(StepTimeMetric.class);
    for (StepTimeMetric metric : parts.getFirst().values.keySet()) {
      means.put(
          metric,
          parts.stream().mapToDouble(part -> part.values.get(metric)).average().orElseThrow());
    }
    int rows = parts.stream().mapToInt(StepTimeFigures::rows).sum();
    return new StepTimeFigures(protocol, parts.getFirst().model, rows, means, bars);
  }

  /** Empty without a bar, else whether each bar is reached. */
  public String result() {
    if (bars.byMetric().isEmpty()) {
      return "";
    }
    boolean reached =
        bars.byMetric().entrySet().stream()
            .allMatch(bar ->
                bar.getKey()
                    .reaches(
                        java.util.Objects.requireNonNull(values.get(bar.getKey())),
                        bar.getValue()));
    return reached ? "reached" : "missed";
  }

  /** The bars, such as {@code mape <= 13}. */
  public String barText() {
    return bars.byMetric().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(bar ->
            bar.getKey().name().toLowerCase(Locale.ROOT)
                + " "
                + bar.getKey().describe(bar.getValue()))
        .collect(Collectors.joining(", "));
  }

  /** One row a figure, the bar as its reference. */
  public List<EvaluationRow> rowsOfEvaluation() {
    return values.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> row(entry.getKey(), entry.getValue(), bars.byMetric().get(entry.getKey())))
        .toList();
  }

  private EvaluationRow row(StepTimeMetric metric, double value, @Nullable Double bar) {
    return EvaluationRow.overSeeds(
        new EvaluationRow.Subject(TASK, protocol, model, metric.key()),
        new double[] {value},
        rows,
        bar);
  }
}
