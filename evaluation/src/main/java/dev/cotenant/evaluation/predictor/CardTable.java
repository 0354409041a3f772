package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures that a model card shows of an evaluation: for each task and split the errors of the
 * predictor, of its prior, of the random forest and of the best simple baseline. Suspected crashes
 * are left out.
 */
final class CardTable {
  static final String PREDICTOR = Competitor.HYBRID.label();
  static final String PRIOR = Competitor.PRIOR.label();
  static final String FOREST = Competitor.FOREST.label();

  /** Protocols and what they hold out, from the easiest split to the hardest. */
  private static final List<Split> SPLITS =
      List.of(
          new Split("random-5fold", "a random fifth of the runs"),
          new Split("topology-out", "one layout"),
          new Split("model-out", "one model, all batches"),
          new Split("largest-out", "the fifth with the most FLOPs"),
          new Split("family-out", "one family"),
          new Split("mlp-to-cnn", "all but perceptrons"),
          new Split("cnn-to-mlp", "all perceptrons"),
          new Split("device-out", "one device"),
          new Split("named-out", "one family and its host"),
          new Split("named-out-5known", "the same, five runs known"));

  private static final List<String> SIMPLE =
      List.of("constant", "batch-only", "flops-only", "roofline", "analytic");
  private static final String CLEAN = "/clean";

  private final Map<EvaluationRow.Subject, EvaluationRow> figures;

  CardTable(List<EvaluationRow> evaluation) {
    figures =
        evaluation.stream()
            .collect(
                Collectors.toMap(
                    row ->
                        new EvaluationRow.Subject(
                            row.task(), row.protocol(), row.model(), row.metric()),
                    row -> row,
                    (first, second) -> first,
                    LinkedHashMap::new));
  }

  /** A protocol with a description of its held-out rows. */
  record Split(String protocol, String heldOut) {}

  /** The figures of one split; its first is the predictor's RMSLE. */
  record Line(Split split, EvaluationRow predictor, Errors errors) {}

  /** Further figures of a split, if measured. */
  record Errors(
      @Nullable EvaluationRow prior,
      @Nullable EvaluationRow forest,
      @Nullable EvaluationRow simple,
      @Nullable EvaluationRow boundCoverage) {}

  /** The splits of a task, in the order of the card; those that were not evaluated are left out. */
  List<Line> lines(String task) {
    List<Line> lines = new ArrayList<>();
    for (Split split : SPLITS) {
      Line line = line(task, split);
      if (line != null) {
        lines.add(line);
      }
    }
    return lines;
  }

  private @Nullable Line line(String task, Split split) {
    EvaluationRow predictor = find(task, split, PREDICTOR, "rmsle");
    if (predictor == null) {
      return null;
    }
    return new Line(
        split,
        predictor,
        new Errors(
            find(task, split, PRIOR, "rmsle"),
            find(task, split, FOREST, "rmsle"),
            bestSimple(task, split),
            find(task, split, PREDICTOR, "bound_coverage")));
  }

  private @Nullable EvaluationRow bestSimple(String task, Split split) {
    EvaluationRow best = null;
    for (String model : SIMPLE) {
      EvaluationRow row = find(task, split, model, "rmsle");
      if (row != null && (best == null || row.value() < best.value())) {
        best = row;
      }
    }
    return best;
  }

  private @Nullable EvaluationRow find(String task, Split split, String model, String metric) {
    return figures.get(new EvaluationRow.Subject(task, split.protocol() + CLEAN, model, metric));
  }

  /** The tasks and learners that were compared, in the order of the figures. */
  List<List<String>> learners() {
    return figures.values().stream()
        .filter(row -> row.protocol().endsWith(LearnerEvaluation.SUFFIX))
        .map(row -> List.of(row.task(), row.model()))
        .distinct()
        .toList();
  }

  /** A figure of a learner under a protocol. */
  @Nullable EvaluationRow learner(List<String> subject, String protocol, String metric) {
    return figures.get(
        new EvaluationRow.Subject(
            subject.getFirst(), protocol + LearnerEvaluation.SUFFIX, subject.getLast(), metric));
  }

  /** The predictor's error in the task's own unit: percentage points, or percent of the memory. */
  @Nullable EvaluationRow typicalError(Line line) {
    String task = line.predictor().task();
    return find(task, line.split(), PREDICTOR, task.equals("memory") ? "median_ape" : "mae_points");
  }
}
