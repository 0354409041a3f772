package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.llm.MemoryPrediction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The predicted memory of a language model as JSON.
 *
 * @param path where the model or the pod was read
 * @param model the model
 * @param engine what runs it
 * @param engineVersion its version
 * @param device the GPU
 * @param peakMemoryBytes the whole process
 * @param parts its parts in bytes, and the tokens of the KV cache
 * @param partBounds bounds of the parts that have any, in bytes and tokens
 * @param serving what a server can do; absent for other jobs
 * @param speed its steps under a load; absent for other jobs
 * @param settings settings read from a pod, with their sources; absent without one
 * @param warnings missing or assumed inputs
 */
public record MemoryPredictionView(
    @JsonProperty("path") String path,
    @JsonProperty("model") String model,
    @JsonProperty("engine") String engine,
    @JsonProperty("engine_version") String engineVersion,
    @JsonProperty("device") String device,
    @JsonProperty("peak_memory_bytes") Bounded peakMemoryBytes,
    @JsonProperty("parts") Map<String, Long> parts,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("part_bounds")
        Map<String, PartBounds> partBounds,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("serving") @Nullable Serving serving,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("speed")
        @Nullable EngineSpeedView speed,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("settings")
        Map<String, Setting> settings,
    @JsonProperty("warnings") List<String> warnings) {
  /**
   * Bytes with an upper bound.
   *
   * @param coverage share of model families in which the bound is to hold; null where it is assumed
   */
  public record Bounded(
      @JsonProperty("mean") long mean,
      @JsonProperty("upper") long upper,
      @JsonProperty("coverage") @Nullable Double coverage) {
    static Bounded of(MemoryPrediction.Bounded amount) {
      return new Bounded(amount.mean(), amount.upper(), amount.coverage());
    }
  }

  /**
   * Bounds of a part; {@code lower} or {@code upper} is absent where it has none.
   *
   * @param coverage nominal coverage over model families; null if assumed
   */
  public record PartBounds(
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("lower") @Nullable Long lower,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("upper") @Nullable Long upper,
      @JsonProperty("coverage") @Nullable Double coverage) {}

  /**
   * A server's KV cache.
   *
   * @param maxConcurrency sequences of the longest length at once
   * @param starts whether the engine starts with it
   * @param leastMemoryBytes what the requested sequences need in all
   * @param kvCacheMemoryBytes the KV cache that they need, for {@code --kv-cache-memory-bytes}
   */
  public record Serving(
      @JsonProperty("max_concurrency") double maxConcurrency,
      @JsonProperty("starts") boolean starts,
      @JsonProperty("least_memory_bytes") Bounded leastMemoryBytes,
      @JsonProperty("kv_cache_memory_bytes") long kvCacheMemoryBytes) {}

  /** A setting of a pod and where it was read. */
  public record Setting(
      @JsonProperty("value") String value, @JsonProperty("source") String source) {}

  /** Of a prediction. */
  public static MemoryPredictionView of(
      String path,
      MemoryPrediction prediction,
      @Nullable EngineSpeed speed,
      Map<String, Setting> settings) {
    Map<String, Long> parts = new LinkedHashMap<>();
    Map<String, PartBounds> bounds = new LinkedHashMap<>();
    prediction
        .parts()
        .forEach((name, part) -> {
          parts.put(name, part.amount());
          MemoryPrediction.PartBounds own = part.bounds();
          if (own != null) {
            bounds.put(name, new PartBounds(own.lower(), own.upper(), own.coverage()));
          }
        });
    MemoryPrediction.Serving serving = prediction.serving();
    return new MemoryPredictionView(
        path,
        prediction.model(),
        prediction.engine(),
        prediction.version(),
        prediction.device(),
        Bounded.of(prediction.peak()),
        parts,
        bounds,
        serving == null
            ? null
            : new Serving(
                Math.round(serving.sequences() * 100) / 100.0,
                serving.starts(),
                Bounded.of(serving.least()),
                serving.leastKvCacheBytes()),
        EngineSpeedView.of(speed),
        settings,
        prediction.warnings());
  }
}
