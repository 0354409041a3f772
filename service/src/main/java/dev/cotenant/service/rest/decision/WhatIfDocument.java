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
 * @param cluster a recorded cluster to decide on; absent: the service's own, with all grants
 */
record WhatIfDocument(
    @JsonProperty("pod") @Nullable JsonNode pod,
    @JsonProperty("workload") @Nullable WorkloadDocument workload,
    @JsonProperty("cluster") @Nullable JsonNode cluster) {
  WhatIfDocument {
    boolean hasPod = pod != null && !pod.isNull();
    if (hasPod == (workload != null)) {
      throw InputException.invalidArgument(
          "pod-workload-conflict", "Give either 'pod' (a Pod manifest) or 'workload'.");
    }
  }
}
