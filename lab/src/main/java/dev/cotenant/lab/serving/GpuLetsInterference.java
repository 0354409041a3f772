package dev.cotenant.lab.serving;

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
import java.util.function.IntFunction;

/**
 * Figure 9 of gpu-lets: errors of its linear interference factor on pairs that it has not seen.
 *
 * <p>The evaluation is in {@code evaluation}, on which this module does not depend: the figures
 * come through {@code Presets.Inputs.factorErrors}.
 */
public final class GpuLetsInterference implements Preset {
  public static final Card CARD =
      new Card(
          "gpu-lets-interference",
          "Errors of the linear interference factor on unseen pairs",
          "gpu-lets (ATC 2022), Figure 9",
          20);

  private static final double LEVEL = 0.95;
  private static final Map<String, String> METRICS =
      Map.of("p90_ape", "error_percent_of_90_percent", "p95_ape", "error_percent_of_95_percent");
  private static final String READING =
      "the paper's 2,500 cases are not public: iGniter's pairs on a V100 stand in, 70 % to fit and"
          + " 30 % to judge by; they interfere less than those of an RTX 2080 Ti";

  private final IntFunction<List<EvaluationRow>> errors;

  /**
   * @param errors by the number of draws
   */
  public GpuLetsInterference(IntFunction<List<EvaluationRow>> errors) {
    this.errors = errors;
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    progress.accept("Figure 9");
    List<Cell> cells = new ArrayList<>();
    for (EvaluationRow row : errors.apply(seeds)) {
      String metric = METRICS.get(row.metric());
      Double published = row.reference();
      if (metric != null && published != null) {
        Sample sample =
            new Sample(row.value(), StudentT.halfWidth(LEVEL, row.sd(), row.seeds()), row.seeds());
        Bar bar = Bar.atMost(published);
        cells.add(new Cell("Figure 9", row.model(), metric, sample, published, bar, READING));
      }
    }
    return cells;
  }
}
