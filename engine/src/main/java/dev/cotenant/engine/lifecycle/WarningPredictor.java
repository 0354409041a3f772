package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;

/** Another predictor's predictions with one more warning. */
record WarningPredictor(FeaturePredictor other, String warning) implements FeaturePredictor {
  @Override
  public Prediction predict(PredictionRequest request) {
    return withWarning(other.predict(request), warning);
  }

  static Prediction withWarning(Prediction prediction, String warning) {
    List<String> warnings = new ArrayList<>(prediction.warnings());
    warnings.add(warning);
    return prediction.withWarnings(warnings);
  }
}
