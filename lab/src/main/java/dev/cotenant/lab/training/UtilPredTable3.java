package dev.cotenant.lab.training;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Cell.Sample;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.learning.quantile.StudentT;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Table 3 of UtilPred: errors of four families of regressors and of the hybrid model on 81 runs, 64
 * to learn from and 17 to judge by, again on other draws.
 *
 * <p>The learners are in {@code evaluation}, on which this module does not depend: the figures come
 * through {@code Presets.Inputs.utilizationErrors}.
 */
public final class UtilPredTable3 implements Preset {
  public static final Card CARD =
      new Card(
          "utilpred-table3",
          "Error of predicted utilization by learner, on 81 runs",
          "UtilPred (HotCloud 2020), Table 3",
          20);

  private static final double LEVEL = 0.95;
  private static final Map<String, String> LEARNERS =
      Map.of(
          "linear", "elastic net",
          "lightgbm", "the library",
          "xgboost", "the library",
          "forest", "Smile's",
          "hybrid", "the predictor's own");

  private final Errors errors;

  /** Errors on draws of 81 rows. */
  @FunctionalInterface
  public interface Errors {
    /**
     * The figures of {@code evaluation} {@code Table3}.
     *
     * @param draws at least 1
     * @param progress takes a line before each step
     */
    List<EvaluationRow> on(int draws, Consumer<String> progress);
  }

  public UtilPredTable3(Errors errors) {
    this.errors = errors;
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    List<EvaluationRow> rows = errors.on(seeds, progress);
    List<Cell> cells = new ArrayList<>();
    for (EvaluationRow row : rows) {
      boolean isError = row.metric().equals("rmsle") || row.metric().equals("mae_points");
      if (isError && LEARNERS.containsKey(row.model())) {
        cells.add(cell(row, forest(rows, row)));
      }
    }
    return cells;
  }

  /** The forest's figure beside a row. */
  private static double forest(List<EvaluationRow> rows, EvaluationRow row) {
    return rows.stream()
        .filter(other -> other.model().equals("forest"))
        .filter(
            other -> other.protocol().equals(row.protocol()) && other.metric().equals(row.metric()))
        .mapToDouble(EvaluationRow::value)
        .findFirst()
        .orElse(Double.POSITIVE_INFINITY);
  }

  private static Cell cell(EvaluationRow row, double forest) {
    @Nullable Bar bar = row.model().equals("hybrid") ? Bar.atMost(forest) : null;
    return new Cell(
        "Table 3, " + (row.protocol().contains("/clean/") ? "clean rows" : "all rows"),
        row.model(),
        row.metric(),
        new Sample(row.value(), StudentT.halfWidth(LEVEL, row.sd(), row.seeds()), row.seeds()),
        row.reference(),
        bar,
        "the paper's 81 rows are not public: rows of GPUMemNet stand in, drawn again for each seed;"
            + " clean rows are those without suspected crashes; the bar of hybrid is the forest's"
            + " figure (learners: "
            + learners()
            + ")");
  }

  private static String learners() {
    return String.join(
        ", ",
        LEARNERS.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(entry -> entry.getKey() + " = " + entry.getValue())
            .toList());
  }
}
