package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.service.decisions.WhatIf;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.prediction.RunDocument;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workload that requests one GPU.
 *
 * @param namespace whose policy counts; absent is {@code default}
 * @param name what reasons call it; absent depends on the request
 * @param model registered name or {@code sha256:…}
 * @param batchSize samples per step; absent is 1
 * @param mode absent is training, or inference with a request rate
 * @param precision absent is fp32
 * @param framework absent is pytorch
 * @param optimizer of training; absent is adam
 * @param checkpointing of activations in training; absent is none
 * @param requestRate requests per second of inference
 * @param inputBoundPercent share of a training step that waits for input
 * @param utilizationLimitPercent the utilization that slow input of training allows at most
 * @param sloLatencyMs latency objective of a request of inference; absent is none
 * @param gpuMemoryBytes memory that it declares to need; absent is what is predicted
 * @param maxSlowdown the most it tolerates, a ratio of at least 1; absent is the policy's limit
 * @param riskBudgetPercent the risk of a larger slowdown that it takes at most, 0 to 100; absent is
 *     the policy's budget
 */
record WorkloadDocument(
    @JsonProperty("namespace") @Nullable String namespace,
    @JsonProperty("name") @Nullable String name,
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("batch_size") @Nullable Integer batchSize,
    @JsonProperty("mode") @Nullable String mode,
    @JsonProperty("precision") @Nullable String precision,
    @JsonProperty("framework") @Nullable String framework,
    @JsonProperty("optimizer") @Nullable String optimizer,
    @JsonProperty("checkpointing") @Nullable String checkpointing,
    @JsonProperty("request_rate") @Nullable Double requestRate,
    @JsonProperty("input_bound_percent") @Nullable Double inputBoundPercent,
    @JsonProperty("utilization_limit_percent") @Nullable Double utilizationLimitPercent,
    @JsonProperty("slo_latency_ms") @Nullable Double sloLatencyMs,
    @JsonProperty("gpu_memory_bytes") @Nullable Long gpuMemoryBytes,
    @JsonProperty("max_slowdown") @Nullable Double maxSlowdown,
    @JsonProperty("risk_budget_percent") @Nullable Double riskBudgetPercent) {

  private static final int MAX_BATCH = 1 << 20;
  private static final double MAX_SLOWDOWN_RATIO = 1_000;
  private static final double MAX_LATENCY_MS = 86_400_000;
  private static final double NANOS_PER_MS = 1e6;

  /**
   * The pod that would ask for as much.
   *
   * @param defaultName of a workload without one
   * @throws InputException when the workload is invalid
   */
  Colocatable colocatable(String defaultName) {
    String space = namespace == null ? WhatIf.DEFAULT_NAMESPACE : namespace;
    RunSettings settings = settings();
    return new Colocatable(
        new PodIdentity(space, name == null ? defaultName : name, null),
        new GpuRequest(GpuDialect.NVIDIA, "workload", 1, null, null),
        new WorkloadAnnotations(
            Required.of(model, "workload.model"),
            batch(),
            settings,
            memory(),
            latency(settings),
            slowdown(),
            riskBudget(),
            List.of()),
        new NodeConstraints(null, List.of()));
  }

  private RunSettings settings() {
    boolean serves = mode == null && sloLatencyMs != null;
    return new RunDocument(
            serves ? ExecutionMode.INFERENCE.toString() : mode,
            precision,
            framework,
            optimizer,
            checkpointing,
            requestRate,
            inputBoundPercent,
            utilizationLimitPercent)
        .settings();
  }

  private @Nullable Duration latency(RunSettings settings) {
    if (sloLatencyMs == null) {
      return null;
    }
    if (!(sloLatencyMs > 0 && sloLatencyMs <= MAX_LATENCY_MS)) {
      throw InputException.invalidArgument(
          "bad-latency",
          "'slo_latency_ms' must be above 0 and at most one day, such as 40, is "
              + sloLatencyMs
              + ".");
    }
    if (settings.mode() == ExecutionMode.TRAINING) {
      throw InputException.invalidArgument(
          "bad-latency", "'slo_latency_ms' is of inference, and 'mode' is training.");
    }
    return Duration.ofNanos(Math.max(1, Math.round(sloLatencyMs * NANOS_PER_MS)));
  }

  private int batch() {
    int batch = batchSize == null ? 1 : batchSize;
    if (batch < 1 || batch > MAX_BATCH) {
      throw InputException.invalidArgument(
          "batch-out-of-range",
          "'batch_size' must be from 1 to " + MAX_BATCH + ", is " + batch + ".");
    }
    return batch;
  }

  private @Nullable MemorySize memory() {
    if (gpuMemoryBytes != null && gpuMemoryBytes < 1) {
      throw InputException.invalidArgument(
          "bad-memory", "'gpu_memory_bytes' must be at least 1, is " + gpuMemoryBytes + ".");
    }
    return gpuMemoryBytes == null ? null : MemorySize.ofBytes(gpuMemoryBytes);
  }

  private @Nullable Slowdown slowdown() {
    if (maxSlowdown == null) {
      return null;
    }
    if (!(maxSlowdown >= 1 && maxSlowdown <= MAX_SLOWDOWN_RATIO)) {
      throw InputException.invalidArgument(
          "bad-slowdown",
          "'max_slowdown' must be a ratio from 1 to 1000, such as 1.15, is " + maxSlowdown + ".");
    }
    return Slowdown.ofRatio(maxSlowdown);
  }

  private @Nullable Double riskBudget() {
    if (riskBudgetPercent == null) {
      return null;
    }
    if (!(riskBudgetPercent >= 0 && riskBudgetPercent <= 100)) {
      throw InputException.invalidArgument(
          "bad-risk-budget",
          "'risk_budget_percent' must be from 0 to 100, such as 5, is " + riskBudgetPercent + ".");
    }
    return riskBudgetPercent / 100;
  }
}
