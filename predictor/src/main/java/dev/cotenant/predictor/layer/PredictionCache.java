package dev.cotenant.predictor.layer;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Predictions of one version of a model, whose answer depends on the request alone: pods of one
 * template request the same. Thread safe; bounded.
 */
public final class PredictionCache {
  /** Beyond this many the cache is emptied. */
  static final int MAX_ENTRIES = 4_096;

  private final Map<PredictionRequest, Prediction> predictions = new ConcurrentHashMap<>();

  /** The prediction of an equal request; null where none is remembered. */
  public @Nullable Prediction find(PredictionRequest request) {
    return predictions.get(request);
  }

  /** Remembers a prediction. */
  public void put(PredictionRequest request, Prediction prediction) {
    if (predictions.size() >= MAX_ENTRIES) {
      predictions.clear();
    }
    predictions.put(request, prediction);
  }
}
