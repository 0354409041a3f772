package dev.cotenant.evaluation.pairs;

import dev.cotenant.interference.profile.WorkloadProfile.Demand;
import dev.cotenant.learning.linear.LeastSquares;
import java.util.List;
import java.util.Optional;

/**
 * iGniter's coefficients besides the active time, by least squares [iGniter, section 3.1, Obtaining
 * Model Coefficients]. Empty answers: too few points, or points that do not determine the line.
 */
public final class IgniterFits {
  private IgniterFits() {}

  /** One point of a line. */
  public record Point(double x, double y) {}

  /** y = slope·x + intercept. */
  public record Line(double slope, double intercept) {}

  /**
   * One run alone.
   *
   * @param requestsPerSecond 1000·b/k_act
   * @param powerWatts above idle
   * @param l2Percent L2 utilization
   */
  public record Draw(double requestsPerSecond, double powerWatts, double l2Percent) {}

  /** Least squares through at least two different x. */
  public static Optional<Line> line(List<Point> points) {
    double[][] rows = new double[points.size()][];
    double[] targets = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new double[] {points.get(i).x(), 1};
      targets[i] = points.get(i).y();
    }
    return LeastSquares.linear(rows, targets).map(c -> new Line(c[0], c[1]));
  }

  /** α_power, β_power, α_cacheutil, β_cacheutil. */
  public static Optional<Demand> demand(List<Draw> runs) {
    Optional<Line> power =
        line(runs.stream().map(r -> new Point(r.requestsPerSecond(), r.powerWatts())).toList());
    return power.flatMap(p ->
        line(runs.stream().map(r -> new Point(r.requestsPerSecond(), r.l2Percent())).toList())
            .map(c -> new Demand(p.slope(), p.intercept(), c.slope(), c.intercept())));
  }

  /**
   * α_sch and β_sch.
   *
   * @param delays x workloads (at least two), y milliseconds that a kernel waits longer than alone
   */
  public static Optional<Line> schedulingDelay(List<Point> delays) {
    return line(delays);
  }

  /**
   * α_f: through the origin of demand beyond the limit and frequency below the highest.
   *
   * @param runs x watts demanded beyond P, y megahertz below F as a negative number
   */
  public static Optional<Double> frequencySlope(List<Point> runs) {
    return throughOrigin(runs);
  }

  /**
   * α_cache: through the origin of the neighbours' L2 and the growth of the active time.
   *
   * @param runs x percent of L2 that the neighbours use, y colocated over solo active time less 1
   */
  public static Optional<Double> cacheSensitivity(List<Point> runs) {
    return throughOrigin(runs);
  }

  private static Optional<Double> throughOrigin(List<Point> points) {
    double[][] rows = new double[points.size()][];
    double[] targets = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new double[] {points.get(i).x()};
      targets[i] = points.get(i).y();
    }
    return LeastSquares.linear(rows, targets).map(c -> c[0]);
  }
}
