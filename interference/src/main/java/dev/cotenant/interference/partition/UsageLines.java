package dev.cotenant.interference.partition;

import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import dev.cotenant.learning.linear.LeastSquares;
import java.util.List;
import java.util.Optional;

/**
 * L2 and memory-bandwidth utilization of a workload as lines over its requests per second.
 *
 * @param l2Slope percent a request per second
 * @param l2Intercept percent
 * @param bandwidthSlope percent a request per second
 * @param bandwidthIntercept percent
 */
public record UsageLines(
    double l2Slope, double l2Intercept, double bandwidthSlope, double bandwidthIntercept) {

  /** One measurement. */
  public record Point(double requestsPerSecond, double l2Percent, double bandwidthPercent) {}

  /** Least squares; empty with fewer than two different rates. */
  public static Optional<UsageLines> fit(List<Point> points) {
    double[][] rows = new double[points.size()][];
    double[] l2 = new double[rows.length];
    double[] bandwidth = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new double[] {points.get(i).requestsPerSecond(), 1};
      l2[i] = points.get(i).l2Percent();
      bandwidth[i] = points.get(i).bandwidthPercent();
    }
    return LeastSquares.linear(rows, l2)
        .flatMap(first ->
            LeastSquares.linear(rows, bandwidth)
                .map(second -> new UsageLines(first[0], first[1], second[0], second[1])));
  }

  /** As fractions, 0 to 1. */
  public Usage at(double requestsPerSecond) {
    return new Usage(
        fraction(l2Slope * requestsPerSecond + l2Intercept),
        fraction(bandwidthSlope * requestsPerSecond + bandwidthIntercept));
  }

  private static double fraction(double percent) {
    return Math.clamp(percent, 0, Percent.WHOLE) / Percent.WHOLE;
  }
}
