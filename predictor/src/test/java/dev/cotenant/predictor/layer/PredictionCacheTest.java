package dev.cotenant.predictor.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.cache.CachedRunBench;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One prediction for each request, and bounded memory. */
class PredictionCacheTest {
  private final PredictionCache cache = new PredictionCache();

  private static PredictionRequest request(int batch) {
    return PredictionRequest.of(
        CachedRunBench.features(batch), CachedRunBench.TRAINING, CachedRunBench.A100);
  }

  private void put(PredictionRequest request) {
    cache.put(request, CachedRunBench.model(request));
  }

  @Test
  void findsThePredictionOfAnEqualRequest() {
    assertThat(cache.find(request(8))).isNull();
    put(request(8));
    assertThat(cache.find(request(8))).isEqualTo(CachedRunBench.model(request(8)));
  }

  @Test
  void distinguishesAllThatARequestStates() {
    PredictionRequest first = request(8);
    put(first);

    assertThat(
            List.of(
                request(16),
                first.at(Coverage.of(0.99)),
                first.in("team-a"),
                first.withMeasured(Set.of(CachedRunBench.A100.id())),
                PredictionRequest.of(
                    first.model(), first.settings(), CachedRunBench.DEVICES.require("h100-80gb"))))
        .allSatisfy(other -> assertThat(cache.find(other)).isNull());
  }

  /** Pods state their request rate freely: keys that collide would make each look-up slow. */
  @Test
  void hashesWhatPodsState() {
    long hashes =
        IntStream.rangeClosed(1, PredictionCache.MAX_ENTRIES)
            .map(rate -> served(rate).hashCode())
            .distinct()
            .count();

    assertThat(hashes).isEqualTo(PredictionCache.MAX_ENTRIES);
  }

  private static PredictionRequest served(int rate) {
    RunSettings settings =
        RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32)
            .withLoad(new Load.RequestRate(rate));
    return PredictionRequest.of(CachedRunBench.features(8), settings, CachedRunBench.A100);
  }

  @Test
  void forgetsBeyondItsBound() {
    for (int batch = 1; batch <= PredictionCache.MAX_ENTRIES; batch++) {
      put(request(batch));
    }
    assertThat(cache.find(request(1))).isNotNull();

    put(request(PredictionCache.MAX_ENTRIES + 1));
    assertThat(cache.find(request(1))).isNull();
    assertThat(cache.find(request(PredictionCache.MAX_ENTRIES + 1))).isNotNull();
  }
}
