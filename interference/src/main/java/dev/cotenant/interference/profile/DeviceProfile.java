package dev.cotenant.interference.profile;

import dev.cotenant.domain.quantity.Share;

/**
 * The coefficients of a device in iGniter's model [iGniter, section 3.1].
 *
 * @param device its id in the catalogue
 * @param maxPowerWatts P
 * @param maxFrequencyMegahertz F
 * @param idlePowerWatts p_idle
 * @param pcieBytesPerMillisecond B_pcie
 * @param frequencySlope α_f, megahertz for each watt of demand beyond P, not positive
 * @param schedulingSlope α_sch, milliseconds a kernel for each colocated workload
 * @param schedulingIntercept β_sch, milliseconds a kernel
 * @param shareUnitPercent r_unit, the step of shares, 0.1 to 100
 */
public record DeviceProfile(
    String device,
    double maxPowerWatts,
    double maxFrequencyMegahertz,
    double idlePowerWatts,
    double pcieBytesPerMillisecond,
    double frequencySlope,
    double schedulingSlope,
    double schedulingIntercept,
    double shareUnitPercent) {
  /** Less than an SM of any device. */
  private static final double MIN_UNIT_PERCENT = 0.1;

  private static final double MIN_STEP_PERCENT = 1;

  public DeviceProfile {
    Check.positive("maxPowerWatts", maxPowerWatts);
    Check.positive("maxFrequencyMegahertz", maxFrequencyMegahertz);
    Check.notNegative("idlePowerWatts", idlePowerWatts);
    Check.positive("pcieBytesPerMillisecond", pcieBytesPerMillisecond);
    Check.notNegative("-frequencySlope", -frequencySlope);
    Check.finite("schedulingSlope", schedulingSlope);
    Check.finite("schedulingIntercept", schedulingIntercept);
    Check.within("shareUnitPercent", MIN_UNIT_PERCENT, 100, shareUnitPercent);
  }

  /** The step of shares that are granted: r_unit, at least the whole percent that MPS takes. */
  public Share shareStep() {
    return Share.nearestToPercent(Math.max(MIN_STEP_PERCENT, shareUnitPercent));
  }

  /** Δ_sch: what each kernel waits longer beside others, counting the workload itself. */
  public double schedulingDelayMillis(int colocated) {
    return colocated <= 1 ? 0 : schedulingSlope * colocated + schedulingIntercept;
  }

  /** f: frequency left at a power demand. */
  public double frequencyMegahertz(double demandWatts) {
    return demandWatts <= maxPowerWatts
        ? maxFrequencyMegahertz
        : maxFrequencyMegahertz + frequencySlope * (demandWatts - maxPowerWatts);
  }
}
