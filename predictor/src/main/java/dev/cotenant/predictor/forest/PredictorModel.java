package dev.cotenant.predictor.forest;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * Everything that one model file holds.
 *
 * @param utilization forest and residuals of utilization
 * @param memory forest and residuals of peak memory
 * @param ranges where the training rows lie, on the devices of the provenance
 * @param contextMemory what a run needs however small its model is: driver context, libraries
 * @param provenance where it comes from
 */
public record PredictorModel(
    TargetModel utilization,
    TargetModel memory,
    TrainingRanges ranges,
    MemorySize contextMemory,
    Provenance provenance)
    implements Learned {
  public PredictorModel {
    if (!ranges.devices().equals(provenance.devices())) {
      throw new IllegalArgumentException(
          "its ranges are of " + ranges.devices() + ", its rows of " + provenance.devices());
    }
  }
}
