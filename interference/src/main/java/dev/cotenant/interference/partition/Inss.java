package dev.cotenant.interference.partition;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloCurve;
import java.util.List;

/**
 * InSS's latency model [InSS, section 4]: iGniter's without frequency, with a learned active time,
 * L2 linear in the share, throughput over the whole latency, and the wait for a batch.
 */
public final class Inss {
  private Inss() {}

  /**
   * One workload's coefficients.
   *
   * @param base transfers, kernels, scheduling and cache sensitivity, as iGniter's
   * @param activeTime o^r, locally weighted regression over sixteen points
   * @param l2Slope α^u, percent of L2 for each percent of share
   * @param l2Intercept β^u, percent
   */
  public record Coefficients(
      WorkloadProfile base, SoloCurve activeTime, double l2Slope, double l2Intercept) {}

  /** One workload in its partition. */
  public record Placed(Coefficients coefficients, int batch, double sharePercent) {
    double l2Percent() {
      return coefficients.l2Slope() * sharePercent + coefficients.l2Intercept();
    }
  }

  /** t_inf of the {@code index}th of all, milliseconds. */
  public static double latencyMillis(DeviceProfile device, List<Placed> all, int index) {
    Placed own = all.get(index);
    WorkloadProfile base = own.coefficients().base();
    double others = -own.l2Percent();
    for (Placed placed : all) {
      others += placed.l2Percent();
    }
    double scheduling =
        base.schedulingMillis() + device.schedulingDelayMillis(all.size()) * base.kernels();
    double running =
        own.coefficients().activeTime().millis(own.batch(), own.sharePercent())
            * (1 + base.cacheSensitivity() * others);
    double bytes = (base.inputBytes() + base.outputBytes()) * own.batch();
    return bytes / device.pcieBytesPerMillisecond() + scheduling + running;
  }

  /** h = b / t_inf, requests per second. */
  public static double throughputPerSecond(int batch, double latencyMillis) {
    return Milliseconds.PER_SECOND * batch / latencyMillis;
  }

  /**
   * What a request finds when it arrives.
   *
   * @param queued W, requests in the buffer with itself, at least 1
   * @param executingMillis remaining time of the running batch, at least 0
   * @param requestsPerSecond λ, positive
   */
  public record Arrival(int queued, double executingMillis, double requestsPerSecond) {
    public Arrival {
      if (queued < 1 || !(executingMillis >= 0) || !(requestsPerSecond > 0)) {
        throw InputException.invalidArgument(
            "queue-out-of-range",
            "A queue needs at least 1 request, a wait of at least 0 ms and a positive rate, has "
                + queued
                + ", "
                + executingMillis
                + " and "
                + requestsPerSecond
                + ".");
      }
    }

    /**
     * T, from arrival to result, milliseconds [InSS, equation 2].
     *
     * @param batch b
     * @param inferenceMillis t_inf
     */
    public double latencyMillis(int batch, double inferenceMillis) {
      if (queued >= batch) {
        return executingMillis + Math.ceilDiv(queued, batch) * inferenceMillis;
      }
      double wait = Milliseconds.PER_SECOND * (batch - queued) / requestsPerSecond;
      return Math.max(executingMillis, wait) + inferenceMillis;
    }
  }
}
