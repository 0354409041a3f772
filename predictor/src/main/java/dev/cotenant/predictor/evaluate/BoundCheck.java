package dev.cotenant.predictor.evaluate;

import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.Novelty;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.forest.TargetModel;
import dev.cotenant.predictor.forest.TrainingRanges;
import dev.cotenant.predictor.train.Calibration;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.ForestLearner;
import dev.cotenant.predictor.train.ForestSettings;
import dev.cotenant.predictor.train.TrainingSettings;
import dev.cotenant.predictor.train.TrainingTable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures how often the upper bound holds on held-out rows, and what it costs.
 *
 * <p>Each training part is calibrated as the shipped model is, with smaller forests since every
 * part needs one for each of its own folds; ranges and devices are those of the training part, so
 * that a held-out family gets the bounds that a stranger would get.
 */
final class BoundCheck {
  private static final int TREES = 24;

  private final TrainingSettings settings;

  BoundCheck(TrainingSettings settings) {
    this.settings = settings;
  }

  /**
   * @param above how far the bound lies above the estimate: points, or a fraction of the estimate
   */
  private record Judged(String family, boolean holds, double above) {}

  void addTo(Figures figures, TrainingTable table, List<Folds.Split> splits) {
    List<Judged> judged =
        splits.stream()
            .flatMap(
                split -> judge(table.select(split.train()), table.select(split.test())).stream())
            .toList();
    add(figures, judged, "");
    Map<String, List<Judged>> families =
        judged.stream()
            .collect(Collectors.groupingBy(Judged::family, TreeMap::new, Collectors.toList()));
    if (families.size() > 1) {
      families.forEach((family, part) -> add(figures, part, "/" + family));
    }
  }

  private static void add(Figures figures, List<Judged> judged, String suffix) {
    double holds = judged.stream().filter(Judged::holds).count();
    double above = judged.stream().mapToDouble(Judged::above).average().orElseThrow();
    String model = Competitor.FOREST.label();
    figures.add(model, "bound_coverage" + suffix, holds / judged.size(), judged.size());
    figures.add(model, "bound_width" + suffix, above, judged.size());
  }

  private List<Judged> judge(TrainingTable train, TrainingTable test) {
    ForestSettings chosen = ForestLearner.choose(train, settings.grid(), settings.seed());
    TargetModel model = new Calibration(chosen.withTrees(TREES), settings, () -> {}).bounds(train);
    TrainingRanges ranges = train.ranges();
    return IntStream.range(0, test.size())
        .mapToObj(row -> judge(model, test, row, novelty(ranges, test, row)))
        .toList();
  }

  private static Novelty novelty(TrainingRanges ranges, TrainingTable test, int row) {
    return ranges.novelty(test.row(row).features(), test.row(row).device());
  }

  private static Judged judge(TargetModel model, TrainingTable test, int row, Novelty novelty) {
    Forest.Estimate estimate = model.forest().estimate(test.vector(row));
    double mean = estimate.mean();
    double upper = mean + model.offsets(estimate, novelty).upper();
    double above =
        model.target() == Target.UTILIZATION
            ? Score.percent(upper) - Score.percent(mean)
            : Math.expm1(upper - mean);
    return new Judged(test.row(row).family(), test.log(row) <= upper, above);
  }
}
