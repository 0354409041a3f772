package dev.cotenant.simulator.replay;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.SpeedModel;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The truth about speeds where none was measured: the shipped curve over summed utilization plus an
 * error, drawn once for each configuration beside another; of several neighbours the worst error
 * counts, so that a neighbour that leaves never slows a job. Policies know the curve and not the
 * errors.
 *
 * <p>The error is normal; its deviation is a part of the speed that the curve takes away, as that
 * of the residuals of the curve on Gavel's pairs is. On Lucid's pairs, which have sums below 100 %,
 * the residuals there are larger than this, and above it smaller.
 */
final class StatedError implements SpeedModel {
  static final String TEXT =
      "estimated, not measured: a curve over summed utilization says how much speed a job loses,"
          + " and is off by two thirds of that, up or down (one standard deviation)";

  private static final double MIN_SPEED = 0.1;
  private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();
  private final long draw;

  /**
   * @param draw seed of the errors
   */
  StatedError(long draw) {
    this.draw = draw;
  }

  @Override
  public double speed(Phase.Load own, List<Phase.Load> others, DeviceId device) {
    if (others.isEmpty()) {
      return 1;
    }
    double sum = own.utilizationPercent();
    double worst = Double.POSITIVE_INFINITY;
    for (Phase.Load other : others) {
      sum += other.utilizationPercent();
      worst = Math.min(worst, normal(own, other));
    }
    double mean = 1 / curve.slowdown(SummedUtilization.ofPercent(sum)).ratio();
    return Math.clamp(mean + SpeedTruth.DEVIATION * (1 - mean) * worst, MIN_SPEED, 1);
  }

  private double normal(Phase.Load own, Phase.Load other) {
    long drawn = draw << Integer.SIZE | Integer.toUnsignedLong(own.kind().hashCode());
    return new SplittableRandom(drawn * GOLDEN_RATIO + other.kind().hashCode()).nextGaussian();
  }
}
