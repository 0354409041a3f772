package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.MeasuredHere;
import dev.cotenant.domain.prediction.Prediction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prediction.
 *
 * @param path the file it was made from; absent for registered models and uploads
 * @param model the registered model or the upload's name; absent for files
 * @param measuredHere the runs of this configuration that it repeats; absent where a model answers
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
    @JsonProperty("measured_here") @Nullable MeasuredHereView measuredHere,
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
        MeasuredHereView.of(prediction.measured()),
        prediction.warnings());
  }

  /**
   * Runs of one configuration on this cluster.
   *
   * @param targets which estimates are theirs: utilization, peak_memory
   * @param runs how many are remembered, of two targets the fewer
   * @param lastAt when the newest was measured, ISO 8601
   */
  public record MeasuredHereView(
      @JsonProperty("targets") List<String> targets,
      @JsonProperty("runs") int runs,
      @JsonProperty("last_at") String lastAt) {
    private static @Nullable MeasuredHereView of(@Nullable MeasuredHere measured) {
      return measured == null
          ? null
          : new MeasuredHereView(
              measured.targets().stream().map(String::valueOf).toList(),
              measured.runs(),
              measured.last().toString());
    }
  }
}
