package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;

/** When the requests of a batch are copied to the GPU. */
enum Uploads {
  /*
   * With t_inf all of half the objective, T/2, the batch that keeps up with R is that of equation 17
   * where uploads run beside, and R·T/2 where they run between, for then h = b/t_inf.
   */

  /** While the batch before it runs: h = b/(t_gpu + t_feedback) [iGniter, equations 1 and 2]. */
  BESIDE_BATCHES {
    @Override
    Provision provision(
        DeviceProfile device, WorkloadProfile profile, double sloMillis, double requestsPerSecond) {
      return Provision.of(device, profile, sloMillis, requestsPerSecond);
    }

    @Override
    double mostPerSecond(
        DeviceProfile device, WorkloadProfile profile, double sloMillis, long batch) {
      double pcie = device.pcieBytesPerMillisecond();
      return Milliseconds.PER_SECOND
          * 2
          * batch
          * pcie
          / (sloMillis * pcie - 2 * batch * profile.inputBytes());
    }

    @Override
    double throughputPerSecond(GpuState alone, long batch) {
      return alone.throughputPerSecond(0);
    }
  },

  /** Between two batches: h = b/t_inf [InSS, section 4]. */
  BETWEEN_BATCHES {
    @Override
    Provision provision(
        DeviceProfile device, WorkloadProfile profile, double sloMillis, double requestsPerSecond) {
      double batch = Math.ceil(sloMillis * requestsPerSecond / (2 * Milliseconds.PER_SECOND));
      return Provision.ofBatch(device, profile, sloMillis, Math.max(1, (long) batch));
    }

    @Override
    double mostPerSecond(
        DeviceProfile device, WorkloadProfile profile, double sloMillis, long batch) {
      return Milliseconds.PER_SECOND * 2 * batch / sloMillis;
    }

    @Override
    double throughputPerSecond(GpuState alone, long batch) {
      return Milliseconds.PER_SECOND * batch / alone.latencyMillis(0);
    }
  };

  /** What a rate needs alone on a device. */
  abstract Provision provision(
      DeviceProfile device, WorkloadProfile profile, double sloMillis, double requestsPerSecond);

  /** The largest rate for which {@code batch} is provided. */
  abstract double mostPerSecond(
      DeviceProfile device, WorkloadProfile profile, double sloMillis, long batch);

  /** Throughput at a batch, evaluated in {@code alone}. */
  abstract double throughputPerSecond(GpuState alone, long batch);
}
