package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.model.ResidualQuantiles;
import dev.cotenant.predictor.model.Target;
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
 *
 * <p>What a process takes however small its model is differs between hosts. A row is asked about as
 * the protocol has it: on a host whose other rows were learned from, as a cluster is that has
 * measured runs of its own, or on a new one. Somebody who names no host is told less; that is
 * judged beside.
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

  /** How a row's bound is asked for. */
  @FunctionalInterface
  interface Asking {
    ResidualQuantiles offsets(HybridFit fit, ProfileRow row);
  }

  /** What the rows of one split were told. */
  private record Told(HybridFit fit, List<ProfileRow> test) {}

  /** Splits with their layers, which all ways of asking share. */
  final class Fitted {
    private final List<Told> told;
    private final Target target;

    private Fitted(List<Told> told, Target target) {
      this.told = told;
      this.target = target;
    }

    /** Adds what bounds do when they are asked for in one way. */
    void addTo(Figures figures, Asking asking) {
      List<Judged> judged =
          told.stream()
              .flatMap(
                  part -> part.test().stream().map(row -> judge(part.fit(), row, target, asking)))
              .toList();
      add(figures, judged, "");
      Map<String, List<Judged>> families =
          judged.stream()
              .collect(Collectors.groupingBy(Judged::family, TreeMap::new, Collectors.toList()));
      if (families.size() > 1) {
        families.forEach((family, part) -> add(figures, part, "/" + family));
      }
    }
  }

  Fitted fit(List<Held> splits, Competitor.Way way) {
    return new Fitted(
        splits.parallelStream()
            .map(held -> new Told(Competitor.bounded(held.training(), coverage, way), held.test()))
            .toList(),
        way.target());
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

  private Judged judge(HybridFit fit, ProfileRow row, Target target, Asking asking) {
    double mean = fit.log(row);
    double upper = mean + asking.offsets(fit, row).upper();
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
