package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.InputException;
import dev.cotenant.service.decisions.WhatIf;
import dev.cotenant.service.rest.Required;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request for capacity: for a pod or for a workload, not both.
 *
 * @param pod a Pod manifest
 * @param workload a workload that requests one GPU
 */
record ReservationDocument(
    @JsonProperty("pod") @Nullable JsonNode pod,
    @JsonProperty("workload") @Nullable WorkloadDocument workload) {
  ReservationDocument {
    boolean hasPod = pod != null && !pod.isNull();
    if (hasPod == (workload != null)) {
      throw InputException.invalidArgument(
          "pod-workload-conflict", "Give either 'pod' (a Pod manifest) or 'workload'.");
    }
  }

  /**
   * The pod of the reservation.
   *
   * @throws InputException when the request is invalid or needs no GPU
   */
  Colocatable requested() {
    return Optional.ofNullable(workload)
        .map(requested -> {
          if (requested.name() != null) {
            PodNames.require(requested.name(), "workload.name");
          }
          return requested.colocatable("reserved");
        })
        .orElseGet(() -> WhatIf.colocatable(Required.of(pod, "pod")));
  }

  /**
   * The pod that takes a reservation.
   *
   * @param namespace the reservation's
   * @param uid the API server's
   */
  record ConfirmationDocument(
      @JsonProperty("namespace") @Nullable String namespace,
      @JsonProperty("name") @Nullable String name,
      @JsonProperty("uid") @Nullable String uid) {}
}
