package dev.cotenant.simulator.replay;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.SpeedModel;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The truth about speeds where none was measured: the shipped curve over summed utilization, which
 * is that of the slower job of a pair, plus an error, drawn once for each configuration beside
 * another; of several neighbours the worst error counts, so that a neighbour that leaves never
 * slows a job. Policies know the curve and not the errors.
 *
 * <p>The error is normal; its deviation grows with the summed utilization as the residuals of the
 * curve on Lucid's pairs do, linear between the points.
 */
final class StatedError implements SpeedModel {
  static final String TEXT =
      "not measured: the slower job's curve over summed utilization, with an error of normalised"
          + " speed whose standard deviation grows from 0.045 at a sum of 35 % to 0.125 at 180 %";

  /** Middles of the bins of the curve. */
  static final double[] SUM_PERCENT = {0, 35, 65, 90, 115, 145, 180};

  /** Of normalised speed, rounded up; measured by the test of this class. */
  static final double[] DEVIATION = {0, 0.045, 0.06, 0.07, 0.085, 0.105, 0.125};

  private static final double LEAST_SPEED = 0.1;
  private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();
  private final long draw;

  /**
   * @param draw which errors; the same draw has the same
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
    return Math.clamp(mean + deviation(sum) * worst, LEAST_SPEED, 1);
  }

  /** Constant beyond the last point. */
  static double deviation(double sumPercent) {
    int right = 1;
    while (right < SUM_PERCENT.length - 1 && SUM_PERCENT[right] < sumPercent) {
      right++;
    }
    double share =
        (sumPercent - SUM_PERCENT[right - 1]) / (SUM_PERCENT[right] - SUM_PERCENT[right - 1]);
    return DEVIATION[right - 1] + Math.min(1, share) * (DEVIATION[right] - DEVIATION[right - 1]);
  }

  private double normal(Phase.Load own, Phase.Load other) {
    long drawn = draw << Integer.SIZE | Integer.toUnsignedLong(own.kind().hashCode());
    return new SplittableRandom(drawn * GOLDEN_RATIO + other.kind().hashCode()).nextGaussian();
  }
}
