package dev.cotenant.predictor.layered;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.RunSettings;

/** A model run in some way on a device: what is asked about, and what was measured. */
record Run(ModelFeatures model, StepCost cost, Device device) {
  static Run of(ModelFeatures model, RunSettings settings, Device device) {
    return new Run(model, StepCost.of(model, settings, device), device);
  }
}
