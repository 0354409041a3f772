package dev.cotenant.predictor.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.cache.CachedRunBench;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Layers change the question from the top down, and the answer from the model up. */
class LayeredPredictorTest {
  private static final PredictionRequest REQUEST =
      PredictionRequest.of(
          CachedRunBench.features(8), CachedRunBench.TRAINING, CachedRunBench.A100);

  private final List<String> calls = new ArrayList<>();
  private final LayeredPredictor predictor =
      LayeredPredictor.of(this::model, layer("low", 0.8)).with(layer("high", 0.7));

  private Prediction model(PredictionRequest request) {
    calls.add("model at " + request.level());
    return CachedRunBench.model(request);
  }

  /** A layer that asks at another level. */
  private PredictionLayer layer(String name, double level) {
    return new PredictionLayer() {
      @Override
      public PredictionRequest requestBelow(PredictionRequest request) {
        return request.at(Coverage.of(level));
      }

      @Override
      public Prediction over(PredictionRequest request, Prediction below) {
        calls.add(name + " at " + request.level());
        return below.withModelVersion(below.modelVersion() + "+" + name);
      }
    };
  }

  @Test
  void everyLayerSeesWhatItWasAskedAndTheAnswerBelow() {
    Prediction prediction = predictor.predict(REQUEST);

    assertThat(calls).containsExactly("model at 80 %", "low at 70 %", "high at 90 %");
    assertThat(prediction.modelVersion()).endsWith("+low+high");
  }

  @Test
  void computesEqualRequestsOnceWhereItRemembers() {
    LayeredPredictor remembering = predictor.remembering();

    assertThat(remembering.predict(REQUEST)).isSameAs(remembering.predict(REQUEST));
    assertThat(calls).hasSize(3);
    remembering.predict(REQUEST.in("team-a"));
    assertThat(calls).hasSize(6);
    predictor.predict(REQUEST);
    assertThat(calls).hasSize(9);
  }
}
