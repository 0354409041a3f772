package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.layer.PredictionLayer;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.plugin.Regressor;
import java.util.ServiceConfigurationError;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A user's regressor for one target. A run that the regressor does not cover, or fails on, keeps
 * the prediction below: a decision never fails because of a file, or of an error in the plugin
 * (other than a lack of memory).
 */
final class RegressorLayer implements PredictionLayer {
  private static final int MAX_FAILURES = 10;
  private static final String RESUME = "it is not called until the next start or promotion.";

  private final Regressor regressor;
  private final String label;
  private final AtomicInteger failures = new AtomicInteger();

  RegressorLayer(Regressor regressor, String label) {
    this.regressor = regressor;
    this.label = label;
  }

  @Override
  public Prediction over(PredictionRequest request, Prediction below) {
    return replaced(below, request.model(), request.device());
  }

  private Prediction replaced(Prediction prediction, ModelFeatures features, Device device) {
    try {
      if (!regressor.covers(prediction.settings(), device)) {
        return prediction;
      }
      if (failures.get() >= MAX_FAILURES) {
        return unused(prediction, "It failed " + MAX_FAILURES + " times in a row: " + RESUME);
      }
      Prediction answer = regressor.answer(prediction, features, device);
      failures.set(0);
      return answer;
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      failures.incrementAndGet();
      return unused(prediction, String.valueOf(e.getMessage()));
    }
  }

  private Prediction unused(Prediction prediction, String cause) {
    return WarningLayer.withWarning(
        prediction, "The regressor " + label + " is not used here: " + cause);
  }
}
