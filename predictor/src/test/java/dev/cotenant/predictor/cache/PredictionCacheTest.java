package dev.cotenant.predictor.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One answer for each request of a version, and bounded memory. */
class PredictionCacheTest {
  private final List<PredictionRequest> answered = new ArrayList<>();
  private final PredictionCache cache =
      new PredictionCache(request -> {
        answered.add(request);
        return CachedRunBench.model(request);
      });

  private static PredictionRequest request(int batch) {
    return PredictionRequest.of(
        CachedRunBench.features(batch), CachedRunBench.TRAINING, CachedRunBench.A100);
  }

  @Test
  void answersEqualRequestsFromMemory() {
    assertThat(cache.predict(request(8)))
        .isSameAs(cache.predict(request(8)))
        .isEqualTo(CachedRunBench.model(request(8)));
    assertThat(answered).hasSize(1);
  }

  @Test
  void distinguishesAllThatARequestStates() {
    PredictionRequest first = request(8);
    List<PredictionRequest> others =
        List.of(
            request(16),
            first.at(Coverage.of(0.99)),
            first.in("team-a"),
            first.withMeasured(Set.of(CachedRunBench.A100.id())),
            PredictionRequest.of(
                first.model(), first.settings(), CachedRunBench.DEVICES.require("h100-80gb")));

    cache.predict(first);
    others.forEach(cache::predict);

    assertThat(answered).hasSize(1 + others.size());
  }

  @Test
  void forgetsBeyondItsBound() {
    for (int batch = 1; batch <= PredictionCache.MAX_ENTRIES; batch++) {
      cache.predict(request(batch));
    }
    cache.predict(request(1));
    assertThat(answered).hasSize(PredictionCache.MAX_ENTRIES);

    cache.predict(request(PredictionCache.MAX_ENTRIES + 1));
    cache.predict(request(1));
    assertThat(answered).hasSize(PredictionCache.MAX_ENTRIES + 2);
  }
}
