package dev.cotenant.lab.training;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;

/** Predictions of a stated error. */
final class Predictions {
  /** The 90 % quantile of a normal distribution. */
  private static final double Z90 = 1.2816;

  private Predictions() {}

  /** The truth, without bounds. */
  static Prediction exact(Device device, double utilizationPercent, MemorySize memory) {
    Utilization busy = Utilization.ofPercent(utilizationPercent);
    return of(
        device, new UtilizationEstimate(busy, busy, busy, Coverage.of(1)), memory, "measured");
  }

  /**
   * A mean that errs by a factor, with bounds that hold in 90 % of cases; memory is exact.
   *
   * @param meanPercent predicted
   * @param deviation standard deviation of the logarithm of the error
   */
  static Prediction uncertain(
      Device device, double meanPercent, double deviation, MemorySize memory) {
    double width = StrictMath.exp(Z90 * deviation);
    return of(
        device,
        new UtilizationEstimate(
            percent(meanPercent),
            percent(meanPercent / width),
            percent(meanPercent * width),
            Coverage.STANDARD),
        memory,
        "stated error");
  }

  private static Utilization percent(double value) {
    return Utilization.ofPercent(Math.min(100, value));
  }

  private static Prediction of(
      Device device, UtilizationEstimate utilization, MemorySize memory, String version) {
    return new Prediction(
        device.id(),
        1,
        RunSettings.DEFAULT,
        utilization,
        new MemoryEstimate(memory, memory, memory, Coverage.of(1)),
        version,
        List.of());
  }
}
