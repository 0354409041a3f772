package dev.cotenant.service.rest.prediction;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.model.CoverageLevel;
import dev.cotenant.service.rest.Required;
import org.jspecify.annotations.Nullable;

/**
 * A question about a registered model.
 *
 * @param model registered name or {@code sha256:…}
 * @param device device id
 * @param batchSize samples per step; absent is 1
 * @param mode {@code training} or {@code inference}; absent is training
 * @param precision {@code fp32}, {@code tf32}, {@code fp16}, {@code bf16}, {@code amp} or {@code
 *     amp-bf16}; absent is fp32
 * @param framework {@code pytorch}, {@code tensorflow}, {@code onnx-runtime} or {@code tensorrt};
 *     absent is pytorch
 * @param optimizer of training; absent is adam
 * @param checkpointing of activations in training: {@code none} or {@code segments}
 * @param requestRate requests per second of inference, one sample each
 * @param inputBoundPercent share of a training step that waits for input
 * @param utilizationLimitPercent the utilization that slow input of training allows at most
 * @param coverage share of cases in which each bound is to hold, 0.5 to 0.999; absent is 0.9
 */
record PredictionDocument(
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("device") @Nullable String device,
    @JsonProperty("batch_size") @Nullable Integer batchSize,
    @JsonProperty("mode") @Nullable String mode,
    @JsonProperty("precision") @Nullable String precision,
    @JsonProperty("framework") @Nullable String framework,
    @JsonProperty("optimizer") @Nullable String optimizer,
    @JsonProperty("checkpointing") @Nullable String checkpointing,
    @JsonProperty("request_rate") @Nullable Double requestRate,
    @JsonProperty("input_bound_percent") @Nullable Double inputBoundPercent,
    @JsonProperty("utilization_limit_percent") @Nullable Double utilizationLimitPercent,
    @JsonProperty("coverage") @Nullable Double coverage) {

  Workload workload() {
    return new Workload(
        Required.of(model, "model"),
        batchSize == null ? 1 : batchSize,
        new RunDocument(
                mode,
                precision,
                framework,
                optimizer,
                checkpointing,
                requestRate,
                inputBoundPercent,
                utilizationLimitPercent)
            .settings());
  }

  Coverage level() {
    return coverage == null ? Coverage.STANDARD : CoverageLevel.of(coverage, "coverage");
  }
}
