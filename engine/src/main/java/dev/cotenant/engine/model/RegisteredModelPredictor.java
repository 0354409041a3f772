package dev.cotenant.engine.model;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Predicts registered models: parsed graphs are in memory, so an answer takes milliseconds. */
public final class RegisteredModelPredictor implements WorkloadPredictor {
  private final ModelRegistry registry;
  private final Engine engine;

  public RegisteredModelPredictor(ModelRegistry registry, Engine engine) {
    this.registry = registry;
    this.engine = engine;
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices) {
    Optional<RegisteredModel> model = registry.find(workload.model());
    if (model.isEmpty()) {
      return new Outcome.UnknownModel(workload.model());
    }
    var features = engine.inspect(model.get().graph(), Engine.batchOf(workload.batchSize()));
    Map<DeviceId, Prediction> predictions = new HashMap<>();
    for (DeviceId device : devices) {
      predictions.put(
          device,
          engine.predict(features, workload.settings(), engine.devices().require(device.value())));
    }
    return new Outcome.Predicted(predictions);
  }
}
