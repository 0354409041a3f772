package dev.cotenant.interference.partition;

import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.LocallyWeightedRegression;
import dev.cotenant.interference.solo.SoloFit;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.learning.linear.LeastSquares;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A workload's InSS coefficients from profile points: locally weighted regression of the active
 * time, least squares for L2 over the share and memory over the batch [InSS, section 4.1].
 */
public final class InssFit {
  private InssFit() {}

  /**
   * One profiled batch and share.
   *
   * @param active where, and the active time there, milliseconds
   * @param l2Percent L2 utilization
   * @param memoryMebibytes used
   */
  public record Point(SoloPoint active, double l2Percent, double memoryMebibytes) {}

  /**
   * Fits at least eight points (sixteen are the paper's) of at least two batches and two shares.
   *
   * @param base transfers, kernels, scheduling and cache sensitivity
   */
  public static SoloFit<Inss.Coefficients> fit(WorkloadProfile base, List<Point> points) {
    return switch (LocallyWeightedRegression.of(points.stream().map(Point::active).toList())) {
      case NotFitted<LocallyWeightedRegression>(String reason) -> new NotFitted<>(reason);
      case Fitted<LocallyWeightedRegression>(LocallyWeightedRegression time) ->
          line(points, p -> p.active().sharePercent(), Point::l2Percent)
              .flatMap(l2 ->
                  line(points, p -> p.active().batch(), Point::memoryMebibytes)
                      .map(memory -> coefficients(base, time, l2, memory)))
              .<SoloFit<Inss.Coefficients>>map(Fitted::new)
              .orElseGet(() ->
                  new NotFitted<>("the profile points must be finite, of two batches and shares"));
    };
  }

  private static Inss.Coefficients coefficients(
      WorkloadProfile base, LocallyWeightedRegression time, double[] l2, double[] memory) {
    return new Inss.Coefficients(base, time, l2[0], l2[1], new Inss.Memory(memory[1], memory[0]));
  }

  /** Slope and intercept. */
  private static Optional<double[]> line(
      List<Point> points, ToDoubleFunction<Point> over, ToDoubleFunction<Point> of) {
    double[][] rows =
        points.stream()
            .map(point -> new double[] {over.applyAsDouble(point), 1})
            .toArray(double[][]::new);
    return LeastSquares.linear(rows, points.stream().mapToDouble(of).toArray());
  }
}
