package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.util.ArrayList;
import java.util.List;

/** Another predictor's predictions with one more warning. */
record WarningPredictor(FeaturePredictor other, String warning) implements FeaturePredictor {
  @Override
  public Prediction predict(ModelFeatures features, RunSettings settings, Device device) {
    return withWarning(other.predict(features, settings, device), warning);
  }

  @Override
  public Prediction predictOnMeasuredHost(
      ModelFeatures features, RunSettings settings, Device device) {
    return withWarning(other.predictOnMeasuredHost(features, settings, device), warning);
  }

  static Prediction withWarning(Prediction prediction, String warning) {
    List<String> warnings = new ArrayList<>(prediction.warnings());
    warnings.add(warning);
    return prediction.withWarnings(warnings);
  }
}
