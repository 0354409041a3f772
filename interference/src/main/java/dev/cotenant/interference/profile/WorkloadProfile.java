package dev.cotenant.interference.profile;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Share;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The coefficients of a workload in iGniter's model [iGniter, section 3.1], milliseconds and
 * percent throughout.
 *
 * @param name the workload's name
 * @param device catalogue id of the profiled device
 * @param activeTime k_act alone
 * @param cacheSensitivity α_cache: relative growth of the active time for each percent of L2
 *     utilization of the neighbours
 * @param demand its solo demand on the device
 * @param kernels n_k
 * @param schedulingMillis k_sch·n_k, the scheduling delay alone
 * @param inputBytes d_load of one sample
 * @param outputBytes d_feedback of one sample
 * @param range the batches and shares for which its times hold
 * @param inss what InSS knows of it beyond that; null where only iGniter's coefficients are known
 */
public record WorkloadProfile(
    String name,
    String device,
    ActiveTime activeTime,
    double cacheSensitivity,
    Demand demand,
    int kernels,
    double schedulingMillis,
    double inputBytes,
    double outputBytes,
    ProfiledRange range,
    @Nullable InssTimes inss) {
  private static final double MIN_MILLIS = 0.001;
  private static final double MAX_MILLIS = 1e7;

  public WorkloadProfile {
    Check.notNegative("cacheSensitivity", cacheSensitivity);
    Check.notNegative("kernels", kernels);
    Check.notNegative("schedulingMillis", schedulingMillis);
    Check.notNegative("inputBytes", inputBytes);
    Check.notNegative("outputBytes", outputBytes);
  }

  /** iGniter's coefficients alone, for the standard range. */
  public WorkloadProfile(
      String name,
      String device,
      ActiveTime activeTime,
      double cacheSensitivity,
      Demand demand,
      int kernels,
      double schedulingMillis,
      double inputBytes,
      double outputBytes) {
    this(
        name,
        device,
        activeTime,
        cacheSensitivity,
        demand,
        kernels,
        schedulingMillis,
        inputBytes,
        outputBytes,
        ProfiledRange.STANDARD,
        null);
  }

  /** Copy with different batch times, without those of InSS. */
  public WorkloadProfile with(ActiveTime times) {
    return with(times, range, null);
  }

  /** Copy with the times of InSS, for the range of its points. */
  public WorkloadProfile with(InssTimes known) {
    return with(activeTime, ProfiledRange.of(known.activeTime().points()), known);
  }

  /** The same for another range. */
  public WorkloadProfile in(ProfiledRange other) {
    return with(activeTime, other, inss);
  }

  private WorkloadProfile with(ActiveTime times, ProfiledRange other, @Nullable InssTimes known) {
    return new WorkloadProfile(
        name,
        device,
        times,
        cacheSensitivity,
        demand,
        kernels,
        schedulingMillis,
        inputBytes,
        outputBytes,
        other,
        known);
  }

  /**
   * Active time of a batch alone in a partition, milliseconds: InSS's regression where its points
   * are known, else iGniter's formula.
   */
  public double activeMillis(double batch, double sharePercent) {
    return inss == null
        ? activeTime.millis(batch, sharePercent)
        : inss.activeTime().millis(batch, sharePercent);
  }

  /**
   * Requires plausible active times at the corners of its range.
   *
   * @throws InputException ({@code profile-out-of-range}) with the corner
   */
  public WorkloadProfile requirePlausible() {
    for (int batch : new int[] {range.minBatch(), range.maxBatch()}) {
      for (double share : new double[] {range.minSharePercent(), Share.WHOLE.percent()}) {
        double millis = activeMillis(batch, share);
        if (!(millis >= MIN_MILLIS && millis <= MAX_MILLIS)) {
          throw InputException.malformed(
              "profile-out-of-range",
              String.format(
                  Locale.ROOT,
                  "Profile %s has an active time of %s ms at batch %d in %s %%, outside %s to %s"
                      + " ms: give coefficients of this range, or the range that was profiled"
                      + " (min_batch, max_batch, min_share_percent).",
                  name,
                  millis,
                  batch,
                  share,
                  MIN_MILLIS,
                  MAX_MILLIS));
        }
      }
    }
    return this;
  }

  /**
   * k_act(b, r) = (k1·b² + k2·b + k3) / (r + k4) + k5 [iGniter, equation 11].
   *
   * @param k1 milliseconds·percent a squared sample
   * @param k2 milliseconds·percent a sample
   * @param k3 milliseconds·percent
   * @param k4 percent
   * @param k5 milliseconds
   */
  public record ActiveTime(double k1, double k2, double k3, double k4, double k5) {
    public ActiveTime {
      Check.finite("k1", k1);
      Check.finite("k2", k2);
      Check.finite("k3", k3);
      Check.finite("k4", k4);
      Check.finite("k5", k5);
    }

    /**
     * Milliseconds for a batch in a partition of {@code sharePercent}; may fall below 0 far out.
     */
    public double millis(double batch, double sharePercent) {
      return (k1 * batch * batch + k2 * batch + k3) / (sharePercent + k4) + k5;
    }

    /** Times that are longer by a factor at every batch and share. */
    public ActiveTime scaledBy(double factor) {
      return new ActiveTime(factor * k1, factor * k2, factor * k3, k4, factor * k5);
    }
  }

  /**
   * Power and L2 utilization as lines over b/k_act in requests per second.
   *
   * @param powerSlope α_power, watts a request per second
   * @param powerIntercept β_power, watts
   * @param l2Slope α_cacheutil, percent a request per second
   * @param l2Intercept β_cacheutil, percent
   */
  public record Demand(
      double powerSlope, double powerIntercept, double l2Slope, double l2Intercept) {
    public Demand {
      Check.finite("powerSlope", powerSlope);
      Check.finite("powerIntercept", powerIntercept);
      Check.finite("l2Slope", l2Slope);
      Check.finite("l2Intercept", l2Intercept);
    }
  }
}
