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
 * @param measurement what was measured of it
 * @param licence the terms of the set
 * @param quality whether the run can be trusted
 * @param identity how the network is known
 */
public record ProfileRow(
    String source,
    String family,
    String topology,
    ModelFeatures features,
    RunSettings settings,
    DeviceId device,
    Measurement measurement,
    Licence licence,
    Quality quality,
    Identity identity) {
  /** Of a network that its source states. */
  @SuppressWarnings("TooManyParameters") // those of the record but the last
  public ProfileRow(
      String source,
      String family,
      String topology,
      ModelFeatures features,
      RunSettings settings,
      DeviceId device,
      Measurement measurement,
      Licence licence,
      Quality quality) {
    this(
        source,
        family,
        topology,
        features,
        settings,
        device,
        measurement,
        licence,
        quality,
        Identity.STATED);
  }

  /** Copy with a different source. */
  public ProfileRow withSource(String other) {
    return new ProfileRow(
        other,
        family,
        topology,
        features,
        settings,
        device,
        measurement,
        licence,
        quality,
        identity);
  }

  /** Whether the measured memory can judge a prediction: it did not reveal the network. */
  public boolean judgesMemory() {
    return identity != Identity.INFERRED_FROM_MEMORY;
  }

  /** Mean GPU utilization (time any kernel ran); null where not measured. */
  public @Nullable Utilization utilization() {
    return measurement.utilization();
  }

  /** Peak of device memory; null where not measured. */
  public @Nullable MemorySize peakMemory() {
    return measurement.peakMemory();
  }

  /** How the network of a run is known. */
  public enum Identity {
    /** From its source, or from measurements other than memory. */
    STATED,
    /** Variant or input follow from the measured memory itself. */
    INFERRED_FROM_MEMORY
  }

  /** Whether a run can be trusted. */
  public enum Quality {
    CLEAN,
    /** Its inputs say that it died early; reported with and without. */
    SUSPECTED_CRASH
  }
}
