package dev.cotenant.service.decisions;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.PodDecisions;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.service.cluster.LiveCluster;

/** Decisions that nobody acts on: what would happen now, with all grants counted. */
public final class WhatIf {
  private static final String DEFAULT_NAMESPACE = "default";

  private final Engine engine;
  private final LiveCluster cluster;
  private final WorkloadPredictor predictor;
  private final PodDecisions pods;
  private final PodRequestReader reader = new PodRequestReader();

  public WhatIf(
      Engine engine, LiveCluster cluster, WorkloadPredictor predictor, PodDecisions pods) {
    this.engine = engine;
    this.cluster = cluster;
    this.predictor = predictor;
    this.pods = pods;
  }

  /** What was asked, and what would be decided. */
  public record Answer(PlacementRequest request, Decision decision) {}

  /**
   * About a pod.
   *
   * @throws InputException when there is nothing to decide about it, or it cannot be understood
   */
  public Answer pod(JsonNode manifest) {
    if (!manifest.isObject() || !manifest.path("spec").isObject()) {
      throw InputException.malformed(
          "malformed-pod", "'pod' is no Pod manifest: it needs metadata and spec.");
    }
    return switch (reader.read(manifest, DEFAULT_NAMESPACE)) {
      case PodRequest.Colocatable pod -> {
        var decided = pods.preview(pod, Intent.DRY_RUN);
        yield new Answer(decided.request(), decided.decision());
      }
      case PodRequest.Invalid(_, var problems) ->
          throw InputException.malformed("invalid-pod", String.join("; ", problems));
      case PodRequest.NoGpu _ ->
          throw InputException.malformed(
              "no-gpu", "The pod asks for no GPU: there is nothing to decide.");
      case PodRequest.OptedOut _ ->
          throw InputException.malformed(
              "opted-out", "The pod has opted out by label: there is nothing to decide.");
      case PodRequest.MigInstance(String container, String resource) ->
          throw InputException.malformed(
              "mig-instance",
              "Container '"
                  + container
                  + "' asks for "
                  + resource
                  + ": MIG instances are not shared further.");
    };
  }

  /** About a workload that asks for one GPU within these limits. */
  public Answer workload(String name, Workload workload, SharingLimits limits) {
    ClusterSnapshot snapshot = cluster.withGrants();
    PlacementRequest request =
        switch (predictor.predict(workload, snapshot.devices())) {
          case Outcome.Predicted(var byDevice) ->
              new PlacementRequest.Share(name, byDevice, limits);
          case Outcome.UnknownModel(String model) ->
              throw InputException.notFound(
                  "unknown-model",
                  "No model is registered as '" + model + "': GET /v1/models lists them.");
        };
    return new Answer(request, engine.decide(snapshot, request));
  }
}
