package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.RunSettings;

/** What a model with these features does on a device, alone. Thread safe and free of I/O. */
@FunctionalInterface
public interface FeaturePredictor {
  Prediction predict(ModelFeatures features, RunSettings settings, Device device);

  /**
   * The same on a host like those that the predictor learned from: bounds leave out by how much
   * hosts differ. The caller has measured what this host adds. A predictor without a model of hosts
   * gives its usual answer.
   */
  default Prediction predictOnMeasuredHost(
      ModelFeatures features, RunSettings settings, Device device) {
    return predict(features, settings, device);
  }
}
