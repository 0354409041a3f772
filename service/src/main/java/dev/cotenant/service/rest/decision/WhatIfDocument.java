package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
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
  WhatIfDocument {
    boolean hasPod = pod != null && !pod.isNull();
    if (hasPod == (workload != null)) {
      throw InputException.invalidArgument(
          "pod-workload-conflict", "Give either 'pod' (a Pod manifest) or 'workload'.");
    }
  }
}
