package dev.cotenant.service.decisions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.decision.LargestBatch;
import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Dry runs: decisions on the current cluster without effect on any state. */
public final class WhatIf {
  /** Of pods that name none. */
  public static final String DEFAULT_NAMESPACE = "default";

  private static final PodRequestReader READER = new PodRequestReader();

  private final CapacityLedger capacity;
  private final PodDecisions pods;

  public WhatIf(CapacityLedger capacity, PodDecisions pods) {
    this.capacity = capacity;
    this.pods = pods;
  }

  /**
   * The request and its decision.
   *
   * @param model what predictions call the model
   * @param decision with the most useful of its reasons first
   * @param fits largest batch that would be admitted instead; null if the pod is admitted, or if no
   *     batch fits
   */
  public record Answer(
      String model, PlacementRequest request, Decision decision, @Nullable Fit fits) {}

  /**
   * Returns where the pod's model is registered.
   *
   * @throws InputException ({@code unknown-model}) otherwise
   */
  public void requireKnown(Colocatable pod) {
    ExclusiveCause.ModelUnknown unknown = pods.whyUnknown(pod);
    if (unknown != null) {
      throw InputException.notFound(
          "unknown-model",
          unknown.why() == null
              ? "No model is registered as '" + unknown.model() + "': GET /v1/models lists them."
              : unknown.why() + ".");
    }
  }

  /**
   * About a pod.
   *
   * @param recorded what to decide on; empty: the cluster with all grants
   */
  public Answer about(Colocatable pod, Optional<ClusterSnapshot> recorded) {
    ClusterSnapshot cluster = recorded.orElseGet(capacity::withGrants);
    PodDecisions.Prepared prepared = pods.prepare(pod, cluster);
    Decision decision = prepared.on(cluster);
    return new Answer(
        pod.model(),
        prepared.request(),
        ReasonOrder.ordered(decision),
        decision instanceof Decision.Admitted
            ? null
            : LargestBatch.below(pod, other -> pods.prepare(other, cluster).on(cluster))
                .orElse(null));
  }

  /**
   * The request of a pod.
   *
   * @throws InputException when there is nothing to decide about it, or it cannot be understood
   */
  public static Colocatable colocatable(JsonNode manifest) {
    JsonNode document = pod(manifest);
    if (!document.path("spec").path("containers").isArray()) {
      throw InputException.malformed(
          "malformed-pod",
          "'pod' is not a manifest of a Pod or of a workload with a pod template: it needs"
              + " metadata and spec.");
    }
    return switch (READER.read(document, DEFAULT_NAMESPACE)) {
      case PodRequest.Colocatable pod -> pod;
      case PodRequest.Invalid(_, var problems, _) ->
          throw InputException.malformed("invalid-pod", String.join("; ", problems));
      case PodRequest.NoGpu _ ->
          throw InputException.malformed(
              "no-gpu", "The pod requests no GPU: there is nothing to decide.");
      case PodRequest.OptedOut _ ->
          throw InputException.malformed(
              "opted-out", "The pod has opted out by label: there is nothing to decide.");
      case PodRequest.MigInstance(String container, String resource, _) ->
          throw InputException.malformed(
              "mig-instance",
              "Container '"
                  + container
                  + "' requests "
                  + resource
                  + ": MIG instances are not shared further.");
    };
  }

  /** The pod itself, or one of a workload's template under the workload's name. */
  private static JsonNode pod(JsonNode manifest) {
    JsonNode spec = manifest.path("spec");
    JsonNode template = spec.path("jobTemplate").path("spec").path("template"); // a CronJob's
    if (template.isMissingNode()) {
      template = spec.path("template");
    }
    if (!(template.deepCopy() instanceof ObjectNode pod)) {
      return manifest;
    }
    ObjectNode metadata =
        pod.path("metadata") instanceof ObjectNode given ? given : pod.putObject("metadata");
    for (String key : List.of("namespace", "name")) {
      if (manifest.path("metadata").has(key)) {
        metadata.set(key, manifest.path("metadata").get(key));
      }
    }
    return pod;
  }
}
