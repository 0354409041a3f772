package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;

/**
 * What a workload needs alone on a device: b_appr and r_lower [iGniter, theorem 1].
 *
 * @param batch b_appr, at least 1
 * @param units r_lower in share units, at least 1; {@link #NEVER} where no share is enough
 */
record Provision(long batch, long units) {
  /*
   * Half the objective is for waiting, half for t_inf. The smallest batch b with which h reaches R
   * when t_inf takes all of its half:
   *   b = ⌈T·R·B / (2·(B + R·d_load))⌉                                            [equation 17]
   * and the smallest share with which t_inf of b stays within its half:
   *   r = ⌈γ/(δ·r_unit) − k4/r_unit⌉·r_unit,  γ = k1·b² + k2·b + k3,
   *   δ = T/2 − (d_load + d_feedback)·b/B − k5 − k_sch·n_k                        [equation 18]
   * R per millisecond. The batch is not capped, and the power that the workload draws alone is not
   * looked at, both as published. A batch so large that coefficients give no positive time for it has
   * no share that is enough.
   */
  static final long NEVER = Long.MAX_VALUE;

  static Provision of(
      DeviceProfile device, WorkloadProfile profile, double sloMillis, double requestsPerSecond) {
    long batch = batch(device, profile, sloMillis, requestsPerSecond);
    return ofBatch(device, profile, sloMillis, batch);
  }

  /** With the batch known. */
  static Provision ofBatch(
      DeviceProfile device, WorkloadProfile profile, double sloMillis, long batch) {
    return new Provision(batch, units(device, profile, sloMillis, batch));
  }

  /** b_appr. */
  private static long batch(
      DeviceProfile device, WorkloadProfile profile, double sloMillis, double requestsPerSecond) {
    double rate = requestsPerSecond / Milliseconds.PER_SECOND;
    double pcie = device.pcieBytesPerMillisecond();
    double batch = Math.ceil(sloMillis * rate * pcie / (2 * (pcie + rate * profile.inputBytes())));
    return Math.max(1, (long) batch);
  }

  /** r_lower of a batch. */
  static long units(DeviceProfile device, WorkloadProfile profile, double sloMillis, long batch) {
    double spare = spareMillis(device, profile, sloMillis, batch);
    if (!(spare > 0)) {
      return NEVER;
    }
    ActiveTime time = profile.activeTime();
    double work = time.k1() * batch * batch + time.k2() * batch + time.k3();
    double unit = device.shareUnitPercent();
    long units = Math.max(1, (long) Math.ceil(work / (spare * unit) - time.k4() / unit));
    return time.millis((double) batch, units * unit) > 0 ? units : NEVER;
  }

  /** δ. */
  private static double spareMillis(
      DeviceProfile device, WorkloadProfile profile, double sloMillis, long batch) {
    double bytes = (profile.inputBytes() + profile.outputBytes()) * batch;
    return sloMillis / 2
        - bytes / device.pcieBytesPerMillisecond()
        - profile.activeTime().k5()
        - profile.schedulingMillis();
  }
}
