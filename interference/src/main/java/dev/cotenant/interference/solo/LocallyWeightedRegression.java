package dev.cotenant.interference.solo;

import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.learning.linear.LeastSquares;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * InSS's active time: locally weighted regression over profiled batches and shares [InSS, section
 * 4.1; Cleveland and Devlin 1988].
 *
 * <p>Sixteen points are its protocol (four batches by four shares). Outside their hull it
 * extrapolates the nearest points' plane.
 */
public final class LocallyWeightedRegression implements SoloCurve {
  /*
   * At each question a plane in (ln b, ln r) is fitted to ln t with tricube weights of the distance
   * over that of the farthest of the nearest NEIGHBOURS points. The paper names neither kernel, span
   * nor scale: tricube is Cleveland's, eight of sixteen his usual span of one half, logarithms because
   * time is close to b/r. Where the plane is singular the weighted mean answers.
   */
  private static final int NEIGHBOURS = 8;
  private static final double SLACK = 1.0001;

  private final List<SoloPoint> points;

  private LocallyWeightedRegression(List<SoloPoint> points) {
    this.points = points;
  }

  /** Keeps at least eight points. */
  public static SoloFit<LocallyWeightedRegression> of(List<SoloPoint> points) {
    return points.size() < NEIGHBOURS
        ? new NotFitted<>(points.size() + " profile points are too few: at least " + NEIGHBOURS)
        : new Fitted<>(new LocallyWeightedRegression(List.copyOf(points)));
  }

  /** What it goes through. */
  public List<SoloPoint> points() {
    return points;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LocallyWeightedRegression same && points.equals(same.points);
  }

  @Override
  public int hashCode() {
    return points.hashCode();
  }

  @Override
  public double millis(double batch, double sharePercent) {
    double[] distances = new double[points.size()];
    for (int i = 0; i < distances.length; i++) {
      SoloPoint point = points.get(i);
      distances[i] =
          Math.hypot(
              Math.log(point.batch() / batch), Math.log(point.sharePercent() / sharePercent));
    }
    double[] sorted = distances.clone();
    Arrays.sort(sorted);
    double span = Math.max(sorted[NEIGHBOURS - 1] * SLACK, Double.MIN_NORMAL);
    double[][] rows = new double[distances.length][3];
    double[] targets = new double[distances.length];
    double sum = 0;
    double weights = 0;
    for (int i = 0; i < distances.length; i++) {
      double ratio = Math.min(1, distances[i] / span);
      double cube = 1 - ratio * ratio * ratio;
      double weight = cube * cube * cube;
      SoloPoint point = points.get(i);
      double root = Math.sqrt(weight);
      rows[i][0] = root;
      rows[i][1] = root * Math.log(point.batch() / batch);
      rows[i][2] = root * Math.log(point.sharePercent() / sharePercent);
      targets[i] = root * Math.log(point.latencyMillis());
      sum += weight * Math.log(point.latencyMillis());
      weights += weight;
    }
    double mean = sum / weights;
    return Math.exp(LeastSquares.linear(rows, targets).map(plane -> plane[0]).orElse(mean));
  }
}
