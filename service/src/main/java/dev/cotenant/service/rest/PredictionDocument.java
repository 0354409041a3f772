package dev.cotenant.service.rest;

import dev.cotenant.engine.model.CoverageLevel;
import dev.cotenant.domain.quantity.Coverage;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.workload.Workload;
import org.jspecify.annotations.Nullable;

/**
 * A question about a registered model.
 *
 * @param model registered name or {@code sha256:…}
 * @param device device id
 * @param batchSize samples per step; absent is 1
 * @param mode {@code training} or {@code inference}; absent is training
 * @param precision {@code fp32}, {@code tf32}, {@code fp16} or {@code bf16}; absent is fp32
 * @param coverage share of cases in which each bound is to hold, 0.5 to 0.999; absent is 0.9
 */
record PredictionDocument(
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("device") @Nullable String device,
    @JsonProperty("batch_size") @Nullable Integer batchSize,
    @JsonProperty("mode") @Nullable String mode,
    @JsonProperty("precision") @Nullable String precision,
    @JsonProperty("coverage") @Nullable Double coverage) {

  Workload workload() {
    return new Workload(
        Required.of(model, "model"),
        batchSize == null ? 1 : batchSize,
        RunDocument.settings(mode, precision));
  }

  Coverage level() {
    return coverage == null ? Coverage.STANDARD : CoverageLevel.of(coverage, "coverage");
  }
}
