package dev.cotenant.predictor.hybrid.prior;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.PredictionRequest;

/**
 * A model run in some way on a device: a predicted or a measured one.
 *
 * @param cost of a step at the device's peak rates
 */
public record Run(
    ModelFeatures model, RunSettings settings, StepCost cost, MemoryAmounts memory, Device device) {
  public static Run of(PredictionRequest request) {
    return of(request.model(), request.settings(), request.device());
  }

  public static Run of(ModelFeatures model, RunSettings settings, Device device) {
    StepCost cost = StepCost.of(model, settings, device);
    return new Run(model, settings, cost, MemoryAmounts.of(model, settings), device);
  }

  /** Copy with the cost of the step-time formula. */
  public Run eager() {
    return new Run(model, settings, StepCost.eager(model, settings, device), memory, device);
  }

  /** Whether a model is trained. */
  public boolean trains() {
    return settings.mode() == ExecutionMode.TRAINING;
  }

  /** The same model, served instead of trained. */
  public Run served() {
    RunSettings serving =
        new RunSettings(
            ExecutionMode.INFERENCE,
            settings.precision(),
            settings.framework(),
            settings.recipe(),
            Load.UNSTATED);
    return of(model, serving, device);
  }

  /** The same model at the settings of most measured runs. */
  public Run atDefaultSettings() {
    return settings.equals(RunSettings.DEFAULT) ? this : of(model, RunSettings.DEFAULT, device);
  }
}
