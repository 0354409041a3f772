package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.PredictionRequest;

/**
 * A model run in some way on a device: a predicted or a measured one.
 *
 * @param cost of a step at the device's peak rates
 * @param eagerCost of a step by the step-time formula
 */
record Run(ModelFeatures model, StepCost cost, StepCost eagerCost, Device device) {
  static Run of(PredictionRequest request) {
    return of(request.model(), request.settings(), request.device());
  }

  static Run of(ModelFeatures model, RunSettings settings, Device device) {
    return new Run(
        model,
        StepCost.of(model, settings, device),
        StepCost.eager(model, settings, device),
        device);
  }

  /** The same run at the cost of the step-time formula. */
  Run eager() {
    return new Run(model, eagerCost, eagerCost, device);
  }
}
