package dev.cotenant.domain.prediction;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Optional;

/**
 * What one workload will do on one device, alone.
 *
 * @param device the device predicted for
 * @param batchSize samples per step
 * @param settings mode and precision
 * @param utilization GPU utilization (time any kernel ran) in the steady state
 * @param peakMemory peak of device memory, context included
 * @param modelVersion which predictor answered
 * @param warnings one line each: where the question lies outside what the predictor has seen
 */
public record Prediction(
    DeviceId device,
    int batchSize,
    RunSettings settings,
    UtilizationEstimate utilization,
    MemoryEstimate peakMemory,
    String modelVersion,
    List<String> warnings) {
  public Prediction {
    warnings = List.copyOf(warnings);
  }

  /** The lesser coverage of both bounds; empty where either is assumed. */
  public Optional<Coverage> coverage() {
    Coverage ofUtilization = utilization.coverage();
    Coverage ofMemory = peakMemory.coverage();
    return ofUtilization == null || ofMemory == null
        ? Optional.empty()
        : Optional.of(ofUtilization.min(ofMemory));
  }
}
