package dev.cotenant.cli.training;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.text.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;

/**
 * What holds of upper bounds, protocol by protocol: the share of rows below them against the goal,
 * and their pinball loss against that of one constant offset.
 */
final class BoundTable {
  private static final String COVERAGE = "bound_coverage";
  private static final String LOSS = "bound_pinball";
  private static final String CONSTANT_LOSS = "constant_bound_pinball";

  private final SequencedMap<Subject, Map<String, Double>> subjects = new LinkedHashMap<>();

  BoundTable(List<EvaluationRow> rows) {
    for (EvaluationRow row : rows) {
      if (List.of(COVERAGE, LOSS, CONSTANT_LOSS).contains(row.metric())) {
        subjects
            .computeIfAbsent(new Subject(row.task(), row.protocol()), _ -> new LinkedHashMap<>())
            .put(row.metric(), row.value());
      }
    }
    subjects.values().removeIf(figures -> !figures.containsKey(LOSS));
  }

  private record Subject(String task, String protocol) {
    Goal goal() {
      String name = protocol.substring(0, (protocol + "/").indexOf('/'));
      return switch (name) {
        case "random-5fold", "utilpred-81", "topology-out" -> Goal.ALIKE;
        case "cnn-to-mlp", "cnn-to-mlp-10shot" -> Goal.NONE;
        default -> Goal.NEW;
      };
    }
  }

  /** In which share of cases a bound that is made for 90 % is to hold. */
  private enum Goal {
    ALIKE("88 to 95 %", 0.88, 0.95),
    NEW("at least 85 %", 0.85, 1),
    /** No method held from convolutional networks to perceptrons. */
    NONE("stated only", 0, 1);

    private final String words;
    private final double least;
    private final double most;

    Goal(String words, double least, double most) {
      this.words = words;
      this.least = least;
      this.most = most;
    }

    boolean isReached(double coverage) {
      return coverage >= least && coverage <= most;
    }
  }

  boolean isEmpty() {
    return subjects.isEmpty();
  }

  List<String> lines() {
    return new Table<Map.Entry<Subject, Map<String, Double>>>()
        .text("task", row -> row.getKey().task())
        .text("bounds under", row -> row.getKey().protocol())
        .number("below them", row -> format("%.1f %%", 100 * figure(row, COVERAGE)))
        .text("goal", row -> row.getKey().goal().words)
        .text("reached", row -> reached(row.getKey().goal(), figure(row, COVERAGE)))
        .number("pinball loss", row -> format("%.4f", figure(row, LOSS)))
        .number("of a constant", row -> format("%.4f", figure(row, CONSTANT_LOSS)))
        .text("less", row -> word(figure(row, LOSS) < figure(row, CONSTANT_LOSS)))
        .lines(subjects.entrySet());
  }

  private static double figure(Map.Entry<Subject, Map<String, Double>> row, String metric) {
    return row.getValue().getOrDefault(metric, Double.NaN);
  }

  private static String reached(Goal goal, double coverage) {
    return goal == Goal.NONE ? "-" : word(goal.isReached(coverage));
  }

  private static String format(String pattern, double value) {
    return String.format(Locale.ROOT, pattern, value);
  }

  private static String word(boolean isSo) {
    return isSo ? "yes" : "NO";
  }
}
