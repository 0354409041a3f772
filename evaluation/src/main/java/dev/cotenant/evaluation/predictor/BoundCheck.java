package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.Scores;
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
 * <p>Each training part is calibrated as the shipped model is. Reports the pinball loss of the
 * bound (in the logarithm) beside that of a constant offset, the same quantile of the residuals.
 *
 * <p>The process baseline differs between hosts. A row is predicted as its protocol prescribes: on
 * a host with other training rows, like a cluster with measured runs, or on a new host. A request
 * without a host gets wider bounds; these are judged beside.
 */
final class BoundCheck {
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

  /** Which bounds a row gets. */
  @FunctionalInterface
  interface Bounds {
    ResidualQuantiles offsets(HybridFit fit, ProfileRow row);
  }

  /** One split with its model. */
  private record FittedSplit(HybridFit fit, List<ProfileRow> test) {}

  /** Splits with their models, shared by all kinds of bounds. */
  final class Fitted {
    private final List<FittedSplit> splits;
    private final Target target;

    private Fitted(List<FittedSplit> splits, Target target) {
      this.splits = splits;
      this.target = target;
    }

    /** Adds what one kind of bounds does. */
    void addTo(Figures.Sheet figures, Bounds bounds) {
      List<Judged> judged =
          splits.stream()
              .flatMap(
                  part -> part.test().stream().map(row -> judge(part.fit(), row, target, bounds)))
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

  Fitted fit(List<HoldOut> splits, Competitor.Way way) {
    return new Fitted(
        splits.parallelStream()
            .map(held ->
                new FittedSplit(Competitor.bounded(held.training(), coverage, way), held.test()))
            .toList(),
        way.target());
  }

  private static void add(Figures.Sheet figures, List<Judged> judged, String suffix) {
    int rows = judged.size();
    double holds = judged.stream().filter(Judged::holds).count();
    figures.add(Competitor.HYBRID.label(), "bound_coverage" + suffix, holds / rows, rows);
    figures.add(
        Competitor.HYBRID.label(), "bound_width" + suffix, mean(judged, Judged::above), rows);
    figures.add(
        Competitor.HYBRID.label(), "bound_pinball" + suffix, mean(judged, Judged::loss), rows);
    figures.add(
        Competitor.HYBRID.label(),
        "constant_bound_pinball" + suffix,
        mean(judged, Judged::constantLoss),
        rows);
  }

  private static double mean(List<Judged> judged, ToDoubleFunction<Judged> figure) {
    return judged.stream().mapToDouble(figure).average().orElseThrow();
  }

  private Judged judge(HybridFit fit, ProfileRow row, Target target, Bounds bounds) {
    double mean = fit.log(row);
    double upper = mean + bounds.offsets(fit, row).upper();
    double actual = target.plainLogOf(row);
    double above =
        target == Target.UTILIZATION
            ? LogErrors.percent(upper) - LogErrors.percent(mean)
            : Math.expm1(upper - mean);
    return new Judged(
        row.family(),
        actual <= upper,
        above,
        Scores.pinball(actual, upper, coverage),
        Scores.pinball(actual, mean + fit.constantOffsets().upper(), coverage));
  }
}
