package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.layer.PredictionLayer;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;

/** One more warning. */
record WarningLayer(String warning) implements PredictionLayer {
  @Override
  public Prediction over(PredictionRequest request, Prediction below) {
    return withWarning(below, warning);
  }

  static Prediction withWarning(Prediction prediction, String warning) {
    List<String> warnings = new ArrayList<>(prediction.warnings());
    warnings.add(warning);
    return prediction.withWarnings(warnings);
  }
}
