package dev.cotenant.predictor.layer;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model and the layers over it, lowest first: one call deep, however many there are. */
public final class LayeredPredictor implements FeaturePredictor {
  private final FeaturePredictor model;
  private final List<PredictionLayer> layers;
  private final @Nullable PredictionCache remembered;

  private LayeredPredictor(
      FeaturePredictor model, List<PredictionLayer> layers, @Nullable PredictionCache remembered) {
    this.model = model;
    this.layers = List.copyOf(layers);
    this.remembered = remembered;
  }

  /** This model with these layers, lowest first. */
  public static LayeredPredictor of(FeaturePredictor model, PredictionLayer... layers) {
    return new LayeredPredictor(model, List.of(layers), null);
  }

  /** One more layer, on top. */
  public LayeredPredictor with(PredictionLayer layer) {
    List<PredictionLayer> more = new ArrayList<>(layers);
    more.add(layer);
    return new LayeredPredictor(model, more, null);
  }

  /** The same, and equal requests are computed once: for layers that go by the request alone. */
  public LayeredPredictor remembering() {
    return new LayeredPredictor(model, layers, new PredictionCache());
  }

  @Override
  public Prediction predict(PredictionRequest request) {
    Prediction known = remembered == null ? null : remembered.find(request);
    if (known != null) {
      return known;
    }
    PredictionRequest[] requests = new PredictionRequest[layers.size() + 1];
    requests[layers.size()] = request;
    for (int i = layers.size() - 1; i >= 0; i--) {
      requests[i] = layers.get(i).requestBelow(requests[i + 1]);
    }
    Prediction prediction = model.predict(requests[0]);
    for (int i = 0; i < layers.size(); i++) {
      prediction = layers.get(i).over(requests[i + 1], prediction);
    }
    if (remembered != null) {
      remembered.put(request, prediction);
    }
    return prediction;
  }
}
