package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;

/**
 * Within what limits workloads may share a GPU.
 *
 * @param summedUtilization limit of the summed upper bounds of predicted utilization
 * @param memoryHeadroomFraction share of usable memory that stays free, in [0, 1)
 * @param tenants most tenants a GPU may have, the newcomer included; at least 1
 * @param slowdown limit of the predicted slowdown of every tenant
 */
public record SharingLimits(
    SummedUtilization summedUtilization,
    double memoryHeadroomFraction,
    int tenants,
    Slowdown slowdown) {
  /** 100 % utilization, 5 % memory headroom, three tenants [UtilPred, section 6], 1.15 slowdown. */
  public static final SharingLimits DEFAULT =
      new SharingLimits(SummedUtilization.ofPercent(100), 0.05, 3, Slowdown.ofRatio(1.15));

  public SharingLimits {
    if (!(memoryHeadroomFraction >= 0 && memoryHeadroomFraction < 1)) {
      throw new IllegalArgumentException(
          "memoryHeadroomFraction must be in [0, 1), is " + memoryHeadroomFraction);
    }
    if (tenants < 1) {
      throw new IllegalArgumentException("tenants must be at least 1, is " + tenants);
    }
  }

  /** The same limits with the stricter of both slowdowns. */
  public SharingLimits withSlowdownAtMost(Slowdown other) {
    return other.compareTo(slowdown) < 0
        ? new SharingLimits(summedUtilization, memoryHeadroomFraction, tenants, other)
        : this;
  }
}
