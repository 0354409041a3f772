package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.MeasuredHere;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunOptions;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A prediction.
 *
 * @param path file of the model; absent for registered models and uploads
 * @param model the registered model or the upload's name; absent for files
 * @param framework absent is pytorch
 * @param requestRate requests per second; absent where not known
 * @param requestRateSource {@code stated} or {@code measured}; absent without a rate
 * @param stepTimeSeconds wall time of one step; absent where no graph is known
 * @param capacityPerSecond samples per second of back-to-back steps; absent where no graph is known
 * @param utilizationByRequestRate of inference, at rates up to the capacity; absent for training
 * @param engineMemory parts of the memory of an engine with a language model; absent for other
 *     workloads
 * @param measuredHere the repeated runs of this configuration; absent for a model's estimate
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PredictionView(
    @JsonProperty("path") @Nullable String path,
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("device") String device,
    @JsonProperty("mode") String mode,
    @JsonProperty("precision") String precision,
    @JsonProperty("framework") @Nullable String framework,
    @JsonProperty("optimizer") @Nullable String optimizer,
    @JsonProperty("checkpointing") @Nullable String checkpointing,
    @JsonProperty("request_rate") @Nullable Double requestRate,
    @JsonProperty("request_rate_source") @Nullable String requestRateSource,
    @JsonProperty("input_bound_percent") @Nullable Double inputBoundPercent,
    @JsonProperty("utilization_limit_percent") @Nullable Double utilizationLimitPercent,
    @JsonProperty("batch_size") int batchSize,
    @JsonProperty("utilization_percent") BoundsView utilizationPercent,
    @JsonProperty("peak_memory_bytes") BoundsView peakMemoryBytes,
    @JsonProperty("step_time_seconds") @Nullable BoundsView stepTimeSeconds,
    @JsonProperty("capacity_per_second") @Nullable BoundsView capacityPerSecond,
    @JsonProperty("utilization_by_request_rate")
        @Nullable List<AtRateView> utilizationByRequestRate,
    @JsonProperty("engine_memory") @Nullable EngineMemoryView engineMemory,
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
    Map<String, String> run = RunOptions.texts(prediction.settings());
    StepTimeEstimate step = prediction.stepTime();
    return new PredictionView(
        path,
        model,
        prediction.device().value(),
        prediction.settings().mode().toString(),
        prediction.settings().precision().toString(),
        run.get(RunOptions.FRAMEWORK),
        run.get(RunOptions.OPTIMIZER),
        run.get(RunOptions.CHECKPOINTING),
        number(run.get(RunOptions.REQUEST_RATE)),
        prediction.settings().load() instanceof Load.RequestRate known
            ? known.source().toString()
            : null,
        number(run.get(RunOptions.INPUT_BOUND)),
        number(run.get(RunOptions.UTILIZATION_LIMIT)),
        prediction.batchSize(),
        BoundsView.of(prediction.utilization()),
        BoundsView.of(prediction.peakMemory()),
        step == null ? null : BoundsView.of(step),
        step == null ? null : BoundsView.of(step.capacity(prediction.batchSize())),
        prediction.serving().map(AtRateView::all).orElse(null),
        EngineMemoryView.of(prediction.engine()),
        prediction.modelVersion(),
        MeasuredHereView.of(prediction.measured()),
        prediction.warnings());
  }

  private static @Nullable Double number(@Nullable String text) {
    return text == null ? null : Double.valueOf(text);
  }

  /** Utilization of inference at one rate. */
  public record AtRateView(
      @JsonProperty("request_rate") double requestRate,
      @JsonProperty("utilization_percent") BoundsView utilizationPercent) {
    private static List<AtRateView> all(Serving serving) {
      return serving.byRate().stream()
          .map(at -> new AtRateView(at.requestsPerSecond(), BoundsView.of(at.utilization())))
          .toList();
    }
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
