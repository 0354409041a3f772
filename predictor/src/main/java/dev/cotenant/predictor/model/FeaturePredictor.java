package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.RunSettings;

/** Predicts a run alone on a device. Thread safe and free of I/O. */
@FunctionalInterface
public interface FeaturePredictor {
  /**
   * Predicts at the requested level: the stated coverage is the level, or what the bounds reach
   * where the level is unavailable.
   */
  Prediction predict(PredictionRequest request);

  /** Predicts {@link PredictionRequest#of}. */
  default Prediction predict(ModelFeatures features, RunSettings settings, Device device) {
    return predict(PredictionRequest.of(features, settings, device));
  }
}
