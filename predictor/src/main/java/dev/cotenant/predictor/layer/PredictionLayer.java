package dev.cotenant.predictor.layer;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.model.PredictionRequest;

/**
 * Adjustment of a model's prediction, called after the model and not around it. Thread safe and
 * free of I/O.
 */
@FunctionalInterface
public interface PredictionLayer {
  /** The request to the model and to the layers below. */
  default PredictionRequest requestBelow(PredictionRequest request) {
    return request;
  }

  /**
   * The adjusted prediction.
   *
   * @param request of this layer
   * @param below prediction of the model and of the layers below
   */
  Prediction over(PredictionRequest request, Prediction below);
}
