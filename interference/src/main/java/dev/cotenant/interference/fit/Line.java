package dev.cotenant.interference.fit;

import dev.cotenant.learning.linear.LeastSquares;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** y = slope·x + intercept. */
record Line(double slope, double intercept) {
  /** One point of a line. */
  record Point(double x, double y) {}

  /** Least squares; empty with fewer than two different x. */
  static Optional<Line> through(List<Point> points) {
    return fit(points, point -> new double[] {point.x(), 1}).map(c -> new Line(c[0], c[1]));
  }

  /** The slope of a line through the origin; empty where no x differs from 0. */
  static Optional<Double> slopeThroughOrigin(List<Point> points) {
    return fit(points, point -> new double[] {point.x()}).map(c -> c[0]);
  }

  private static Optional<double[]> fit(List<Point> points, Function<Point, double[]> row) {
    return LeastSquares.linear(
        points.stream().map(row).toArray(double[][]::new),
        points.stream().mapToDouble(Point::y).toArray());
  }
}
