package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.service.decisions.WhatIf;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.RunDocument;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A question about a pod or a workload, not both.
 *
 * @param pod a Pod manifest
 * @param workload a workload without a pod
 */
record WhatIfDocument(
    @JsonProperty("pod") @Nullable JsonNode pod,
    @JsonProperty("workload") @Nullable WorkloadDocument workload) {
  private static final double MAX_SLOWDOWN_RATIO = 1_000;

  WhatIfDocument {
    boolean hasPod = pod != null && !pod.isNull();
    if (hasPod == (workload != null)) {
      throw InputException.invalidArgument(
          "pod-workload-conflict", "Give either 'pod' (a Pod manifest) or 'workload'.");
    }
  }

  /**
   * A workload that asks for one GPU.
   *
   * @param namespace whose rights count; absent is {@code default}
   * @param name what reasons call it; absent is {@code what-if}
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
   * @param maxSlowdown the most it tolerates, a ratio of at least 1; absent is the service's limit
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
      @JsonProperty("max_slowdown") @Nullable Double maxSlowdown) {
    String placedIn() {
      return namespace == null ? WhatIf.DEFAULT_NAMESPACE : namespace;
    }

    String displayName() {
      return name == null ? "what-if" : name;
    }

    Workload workload() {
      return new Workload(
          Required.of(model, "workload.model"),
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

    Optional<Slowdown> slowdownLimit() {
      return slowdown(maxSlowdown);
    }
  }

  /** A ratio that a caller tolerates. */
  static Optional<Slowdown> slowdown(@Nullable Double ratio) {
    if (ratio == null) {
      return Optional.empty();
    }
    if (!(ratio >= 1 && ratio <= MAX_SLOWDOWN_RATIO)) {
      throw InputException.invalidArgument(
          "bad-slowdown",
          "'max_slowdown' must be a ratio from 1 to 1000, such as 1.15, is " + ratio + ".");
    }
    return Optional.of(Slowdown.ofRatio(ratio));
  }
}
