package dev.cotenant.domain.profile;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import org.jspecify.annotations.Nullable;

/**
 * One measured solo run.
 *
 * @param source the set it comes from and its place there, {@code gpumemnet:17}
 * @param family the architecture family, so that batches of one model stay in one fold
 * @param topology a finer group inside the family; equals the family where the set has none
 * @param features the model at the batch that ran
 * @param settings mode and precision
 * @param device the device that ran it
 * @param utilization mean GPU utilization (time any kernel ran); null where not measured
 * @param peakMemory peak of device memory; null where not measured
 * @param quality whether the run can be trusted
 */
public record ProfileRow(
    String source,
    String family,
    String topology,
    ModelFeatures features,
    RunSettings settings,
    DeviceId device,
    @Nullable Utilization utilization,
    @Nullable MemorySize peakMemory,
    Quality quality) {

  /** Whether a run can be trusted. */
  public enum Quality {
    CLEAN,
    /** Its inputs say that it died early; reported with and without. */
    SUSPECTED_CRASH
  }
}
