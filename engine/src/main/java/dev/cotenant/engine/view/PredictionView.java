package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.Prediction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prediction.
 *
 * @param path the file it was made from; absent for registered models and uploads
 * @param model the registered model or the upload's name; absent for files
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PredictionView(
    @JsonProperty("path") @Nullable String path,
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("device") String device,
    @JsonProperty("mode") String mode,
    @JsonProperty("precision") String precision,
    @JsonProperty("batch_size") int batchSize,
    @JsonProperty("utilization_percent") BoundsView utilizationPercent,
    @JsonProperty("peak_memory_bytes") BoundsView peakMemoryBytes,
    @JsonProperty("model_version") String modelVersion,
    @JsonProperty("warnings") List<String> warnings) {

  public static PredictionView ofFile(String path, Prediction prediction) {
    return of(path, null, prediction);
  }

  public static PredictionView ofModel(String model, Prediction prediction) {
    return of(null, model, prediction);
  }

  private static PredictionView of(
      @Nullable String path, @Nullable String model, Prediction prediction) {
    return new PredictionView(
        path,
        model,
        prediction.device().value(),
        prediction.settings().mode().toString(),
        prediction.settings().precision().toString(),
        prediction.batchSize(),
        BoundsView.of(prediction.utilization()),
        BoundsView.of(prediction.peakMemory()),
        prediction.modelVersion(),
        prediction.warnings());
  }
}
