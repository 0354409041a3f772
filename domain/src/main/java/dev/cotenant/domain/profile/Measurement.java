package dev.cotenant.domain.profile;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Measurements of one run. Utilization is several quantities that must never be mixed, so each has
 * its own component; null if unmeasured.
 *
 * @param utilization mean share of time in which any kernel ran: {@code utilization.gpu} of
 *     nvidia-smi, {@code DCGM_FI_DEV_GPU_UTIL}
 * @param maximumUtilization largest sample of the utilization
 * @param smActivity mean share of SMs with at least one warp resident: {@code
 *     DCGM_FI_PROF_SM_ACTIVE}, Nsight's SM utilization
 * @param smOccupancy mean share of resident warps in the most that fit: {@code
 *     DCGM_FI_PROF_SM_OCCUPANCY}
 * @param peakMemory peak of device memory in use
 * @param stepTime one training step or one inference batch, positive
 */
public record Measurement(
    @Nullable Utilization utilization,
    @Nullable Utilization maximumUtilization,
    @Nullable Utilization smActivity,
    @Nullable Utilization smOccupancy,
    @Nullable MemorySize peakMemory,
    @Nullable Duration stepTime) {
  /** Nothing measured; the place to start from. */
  public static final Measurement NONE = new Measurement(null, null, null, null, null, null);

  public Measurement {
    if (stepTime != null && !stepTime.isPositive()) {
      throw new IllegalArgumentException("stepTime must be positive, is " + stepTime);
    }
  }

  public Measurement withUtilization(@Nullable Utilization mean) {
    return new Measurement(mean, maximumUtilization, smActivity, smOccupancy, peakMemory, stepTime);
  }

  public Measurement withMaximumUtilization(@Nullable Utilization most) {
    return new Measurement(utilization, most, smActivity, smOccupancy, peakMemory, stepTime);
  }

  public Measurement withSmActivity(@Nullable Utilization active) {
    return new Measurement(
        utilization, maximumUtilization, active, smOccupancy, peakMemory, stepTime);
  }

  public Measurement withSmOccupancy(@Nullable Utilization occupied) {
    return new Measurement(
        utilization, maximumUtilization, smActivity, occupied, peakMemory, stepTime);
  }

  public Measurement withPeakMemory(@Nullable MemorySize peak) {
    return new Measurement(
        utilization, maximumUtilization, smActivity, smOccupancy, peak, stepTime);
  }

  public Measurement withStepTime(@Nullable Duration step) {
    return new Measurement(
        utilization, maximumUtilization, smActivity, smOccupancy, peakMemory, step);
  }
}
