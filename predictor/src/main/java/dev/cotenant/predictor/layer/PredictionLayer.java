package dev.cotenant.predictor.layer;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.model.PredictionRequest;

/**
 * What changes a model's prediction of a run: it is called after the model, not around it. Thread
 * safe and free of I/O.
 */
@FunctionalInterface
public interface PredictionLayer {
  /** The question that is put to the model and to the layers below. */
  default PredictionRequest asked(PredictionRequest request) {
    return request;
  }

  /**
   * The prediction with the change, or as it is.
   *
   * @param request as this layer was asked
   * @param below prediction of the model and of the layers below
   */
  Prediction over(PredictionRequest request, Prediction below);
}
