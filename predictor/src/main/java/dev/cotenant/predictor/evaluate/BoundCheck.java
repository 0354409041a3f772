package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.layered.LayeredFit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Measures how often the upper bound holds on held-out rows, and what it costs.
 *
 * <p>Each training part is calibrated as the shipped model is. The pinball loss of the bound (in
 * the logarithm) stands beside that of a constant offset: the same quantile of the same residuals.
 */
final class BoundCheck {
  private static final String BOUND = "layered";

  private final double coverage;

  /**
   * @param coverage the share of cases that each bound is to hold
   */
  BoundCheck(double coverage) {
    this.coverage = coverage;
  }

  /**
   * @param above how far the bound lies above the estimate: points, or a fraction of the estimate
   */
  private record Judged(
      String family, boolean holds, double above, double loss, double constantLoss) {}

  void addTo(Figures figures, List<Held> splits, Competitor.Way way) {
    List<Judged> judged =
        splits.parallelStream().flatMap(held -> judge(held, way).stream()).toList();
    add(figures, judged, "");
    Map<String, List<Judged>> families =
        judged.stream()
            .collect(Collectors.groupingBy(Judged::family, TreeMap::new, Collectors.toList()));
    if (families.size() > 1) {
      families.forEach((family, part) -> add(figures, part, "/" + family));
    }
  }

  private static void add(Figures figures, List<Judged> judged, String suffix) {
    int rows = judged.size();
    double holds = judged.stream().filter(Judged::holds).count();
    figures.add(BOUND, "bound_coverage" + suffix, holds / rows, rows);
    figures.add(BOUND, "bound_width" + suffix, mean(judged, Judged::above), rows);
    figures.add(BOUND, "bound_pinball" + suffix, mean(judged, Judged::loss), rows);
    figures.add(BOUND, "constant_bound_pinball" + suffix, mean(judged, Judged::constantLoss), rows);
  }

  private static double mean(List<Judged> judged, ToDoubleFunction<Judged> figure) {
    return judged.stream().mapToDouble(figure).average().orElseThrow();
  }

  private List<Judged> judge(Held held, Competitor.Way way) {
    LayeredFit fit = Competitor.bounded(held.training(), coverage, way);
    return held.test().stream().map(row -> judge(fit, row, way.target())).toList();
  }

  private Judged judge(LayeredFit fit, ProfileRow row, Target target) {
    double mean = fit.log(row);
    double upper = mean + fit.offsets(row).upper();
    double actual = target.plainLogOf(row);
    double above =
        target == Target.UTILIZATION
            ? Score.percent(upper) - Score.percent(mean)
            : Math.expm1(upper - mean);
    return new Judged(
        row.family(),
        actual <= upper,
        above,
        loss(actual, upper),
        loss(actual, mean + fit.constantOffsets().upper()));
  }

  private double loss(double actual, double bound) {
    return actual > bound ? coverage * (actual - bound) : (1 - coverage) * (bound - actual);
  }
}
