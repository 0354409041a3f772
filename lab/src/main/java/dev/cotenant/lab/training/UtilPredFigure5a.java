package dev.cotenant.lab.training;

import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.pairs.MeasuredPairs;
import dev.cotenant.lab.pairs.MeasuredPairs.Point;
import dev.cotenant.learning.quantile.RankCorrelation;
import dev.cotenant.learning.quantile.SortedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * Figure 5a of UtilPred: slowdown of training jobs in pairs over the sum of their utilizations, on
 * measured pairs of Lucid and of Gavel, beside the curve that the product uses. Slowdown in percent
 * is (time beside the other − time alone) / time alone. Measured, so that seeds change nothing.
 */
public final class UtilPredFigure5a implements Preset {
  public static final Card CARD =
      new Card(
          "utilpred-figure5a",
          "Slowdown of training jobs in pairs over summed utilization",
          "UtilPred (HotCloud 2020), Figure 5a and section 6",
          1);

  private static final String MEASURED = "measured";
  private static final String CURVE = "curve";
  private static final double[] BOUNDS = {0, 50, 80, 100, 130, 160, 200};
  private static final double MIN_TYPICAL = 10;
  private static final double MAX_TYPICAL = 200;
  private static final String READING =
      "the paper's 276 pairs are drawn without numbers and not public: stated are a positive"
          + " correlation and a typical slowdown of 10 to 200 %. On Lucid's pairs utilization is"
          + " measured and nothing was fitted to them; of Gavel's jobs it is what the shipped"
          + " predictor expects of their graphs, on devices on which it was not trained with them,"
          + " and the curve was fitted to both devices together";

  private final SequencedMap<String, List<MeasuredPairs>> sets;

  /**
   * @param sets measured pairs by format
   */
  public UtilPredFigure5a(SequencedMap<String, List<MeasuredPairs>> sets) {
    this.sets = sets;
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    List<Cell> cells = new ArrayList<>();
    sets.forEach((format, devices) -> {
      progress.accept(format);
      for (MeasuredPairs pairs : devices) {
        cells.addAll(cells("Figure 5a, " + format + " on " + pairs.device().id(), pairs.points()));
      }
    });
    return cells;
  }

  private static List<Cell> cells(String table, List<Point> measured) {
    SummedUtilizationCurve curve = new SummedUtilizationCurve();
    Sheet<List<Point>> sheet = new Sheet<>(table);
    sheet.add(MEASURED, measured);
    sheet.add(
        CURVE,
        measured.stream()
            .map(point ->
                new Point(
                    point.summedPercent(),
                    curve.slowdown(SummedUtilization.ofPercent(point.summedPercent())).ratio()))
            .toList());
    figure(sheet, "jobs_in_pairs", List::size);
    sheet.figure(
        "rank_correlation",
        points ->
            RankCorrelation.of(
                    values(points, Point::summedPercent), values(points, Point::slowdown))
                .orElse(0),
        policy -> new Published(null, policy.equals(MEASURED) ? Bar.atLeast(0.2) : null, READING));
    for (int i = 1; i < BOUNDS.length; i++) {
      double from = BOUNDS[i - 1];
      double to = BOUNDS[i];
      if (measured.stream().anyMatch(within(from, to))) {
        String bin = String.format(Locale.ROOT, "_from_%.0f_to_%.0f", from, to);
        figure(sheet, "jobs" + bin, points -> points.stream().filter(within(from, to)).count());
        figure(sheet, "mean_slowdown_percent" + bin, points -> mean(points, within(from, to)));
      }
    }
    figure(sheet, "slowdown_percent_quantile_10", points -> quantile(points, 0.1));
    figure(sheet, "slowdown_percent_quantile_90", points -> quantile(points, 0.9));
    figure(
        sheet,
        "jobs_slowed_by_10_to_200_percent",
        points ->
            100.0
                * points.stream()
                    .filter(p -> percent(p) >= MIN_TYPICAL && percent(p) <= MAX_TYPICAL)
                    .count()
                / points.size());
    return sheet.cells();
  }

  private static void figure(
      Sheet<List<Point>> sheet, String metric, ToDoubleFunction<List<Point>> figure) {
    sheet.figure(metric, figure, _ -> Published.none(READING));
  }

  private static Predicate<Point> within(double from, double to) {
    return point ->
        point.summedPercent() >= from
            && (point.summedPercent() < to || to == BOUNDS[BOUNDS.length - 1]);
  }

  private static double percent(Point point) {
    return 100 * (point.slowdown() - 1);
  }

  private static double mean(List<Point> points, Predicate<Point> bin) {
    return points.stream()
        .filter(bin)
        .mapToDouble(UtilPredFigure5a::percent)
        .average()
        .orElseThrow();
  }

  private static double quantile(List<Point> points, double level) {
    return new SortedSample(values(points, UtilPredFigure5a::percent)).at(level);
  }

  private static double[] values(List<Point> points, ToDoubleFunction<Point> value) {
    return points.stream().mapToDouble(value).toArray();
  }
}
