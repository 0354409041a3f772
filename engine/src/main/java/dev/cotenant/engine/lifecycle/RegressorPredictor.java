package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.plugin.Regressor;
import java.util.ArrayList;
import java.util.List;

/**
 * A predictor with a user's regressor for one target. A run that the regressor does not cover, or
 * fails on, has the prediction of the other predictor: a decision never fails because of a file.
 */
record RegressorPredictor(FeaturePredictor other, Regressor regressor) implements FeaturePredictor {
  @Override
  public Prediction predict(ModelFeatures features, RunSettings settings, Device device) {
    return replaced(other.predict(features, settings, device), features, device);
  }

  @Override
  public Prediction predictOnMeasuredHost(
      ModelFeatures features, RunSettings settings, Device device) {
    return replaced(other.predictOnMeasuredHost(features, settings, device), features, device);
  }

  private Prediction replaced(Prediction prediction, ModelFeatures features, Device device) {
    if (!regressor.covers(prediction.settings(), device)) {
      return prediction;
    }
    try {
      return regressor.answer(prediction, features, device);
    } catch (InputException e) {
      return withWarning(
          prediction,
          "The regressor " + regressor.version() + " is not used here: " + e.getMessage());
    }
  }

  private static Prediction withWarning(Prediction prediction, String warning) {
    List<String> warnings = new ArrayList<>(prediction.warnings());
    warnings.add(warning);
    return new Prediction(
        prediction.device(),
        prediction.batchSize(),
        prediction.settings(),
        prediction.utilization(),
        prediction.peakMemory(),
        prediction.modelVersion(),
        warnings);
  }
}
