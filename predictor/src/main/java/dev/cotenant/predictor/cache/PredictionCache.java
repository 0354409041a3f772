package dev.cotenant.predictor.cache;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers the answers of one version of a model: pods of one template request the same
 * prediction, and what answers depends on the request alone. Thread safe; bounded.
 */
public final class PredictionCache implements FeaturePredictor {
  /** A prediction with its request takes about 3 KiB. Beyond this many the cache is emptied. */
  static final int MAX_ENTRIES = 4_096;

  private final FeaturePredictor model;
  private final Map<PredictionRequest, Prediction> answers = new ConcurrentHashMap<>();

  /**
   * @param model answers equal requests equally
   */
  public PredictionCache(FeaturePredictor model) {
    this.model = model;
  }

  @Override
  public Prediction predict(PredictionRequest request) {
    Prediction known = answers.get(request);
    if (known != null) {
      return known;
    }
    Prediction predicted = model.predict(request);
    if (answers.size() >= MAX_ENTRIES) {
      answers.clear();
    }
    answers.put(request, predicted);
    return predicted;
  }
}
