package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.PredictionRequest;

/** A model run in some way on a device: a predicted or a measured one. */
record Run(ModelFeatures model, StepCost cost, Device device) {
  static Run of(PredictionRequest request) {
    return of(request.model(), request.settings(), request.device());
  }

  static Run of(ModelFeatures model, RunSettings settings, Device device) {
    return new Run(model, StepCost.of(model, settings, device), device);
  }
}
