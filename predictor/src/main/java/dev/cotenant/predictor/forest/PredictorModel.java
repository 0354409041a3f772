package dev.cotenant.predictor.forest;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;

/**
 * Everything that one model file holds.
 *
 * @param utilization forest and residuals of utilization
 * @param memory forest and residuals of peak memory
 * @param hull the training ranges
 * @param contextMemory what a run needs however small its model is: driver context, libraries
 * @param provenance where it comes from
 */
public record PredictorModel(
    TargetModel utilization,
    TargetModel memory,
    Hull hull,
    MemorySize contextMemory,
    Provenance provenance) {

  /** In which respects a vector on a device is new to this model. */
  public Novelty novelty(float[] vector, DeviceId device) {
    return new Novelty(hull.describeOutside(vector), !provenance.devices().contains(device));
  }
}
