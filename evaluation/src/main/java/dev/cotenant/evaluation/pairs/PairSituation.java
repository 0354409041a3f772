package dev.cotenant.evaluation.pairs;

import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.Optional;

/**
 * One workload beside another, in numbers that say how much they contend.
 *
 * @param models own and other model, in this order
 * @param logOwnBatch natural logarithm of the own batch
 * @param logOtherBatch natural logarithm of the neighbour's batch
 * @param logShare natural logarithm of the own share as a fraction
 * @param logOwnMillis natural logarithm of the own time alone
 * @param logOtherMillis natural logarithm of the neighbour's time alone
 * @param contention quantities that slowdown is close to linear in
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
public record PairSituation(
    String models,
    double logOwnBatch,
    double logOtherBatch,
    double logShare,
    double logOwnMillis,
    double logOtherMillis,
    double[] contention) {
  /** One side: its profile, solo measurements and partition. */
  public record Side(WorkloadProfile profile, MeasuredSolo solo, int batch, double sharePercent) {}

  /** Model of the victim. */
  String ownModel() {
    return models.substring(0, models.indexOf('+'));
  }

  /** Whether either side runs at a batch. */
  boolean runsAt(double logBatch) {
    return logOwnBatch == logBatch || logOtherBatch == logBatch;
  }

  /** Whether a model is on either side. */
  boolean involves(String model) {
    return models.startsWith(model + "+") || models.endsWith("+" + model);
  }

  /** The situation of {@code own}; empty where iGniter's coefficients do not reach. */
  public static Optional<PairSituation> of(DeviceProfile device, Side own, Side other) {
    GpuState gpu = new GpuState(device, 2);
    gpu.place(own.profile(), own.batch(), own.sharePercent());
    gpu.place(other.profile(), other.batch(), other.sharePercent());
    if (gpu.evaluate() != GpuState.Status.VALID) {
      return Optional.empty();
    }
    double ownMillis = own.solo().surface().millis(own.batch(), own.sharePercent());
    double otherMillis = other.solo().surface().millis(other.batch(), other.sharePercent());
    double share = own.sharePercent() / 100.0;
    double beyond = Math.max(0, gpu.demandWatts() - device.maxPowerWatts());
    double[] contention = {
      gpu.l2Percent(1),
      gpu.l2Percent(0),
      beyond,
      own.profile().kernels() / ownMillis,
      1 / ownMillis,
      share,
      gpu.demandWatts(),
      gpu.l2Percent(1) * share,
      gpu.l2Percent(0) * gpu.l2Percent(1)
    };
    return Optional.of(
        new PairSituation(
            own.profile().name() + "+" + other.profile().name(),
            Math.log(own.batch()),
            Math.log(other.batch()),
            Math.log(share),
            Math.log(ownMillis),
            Math.log(otherMillis),
            contention));
  }
}
