package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.prediction.Prediction;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * One decision about a pod.
 *
 * @param at its time
 * @param podRequest the pod, as far as it has a name, and its request
 * @param request the placement request
 * @param decision the decision; mode Immediate refuses held pods as denied ones
 * @param intent a dry run leaves only this record
 * @param mode of the policy; without effect in modes Shadow and Warn
 */
public record DecisionRecord(
    Instant at,
    Colocatable podRequest,
    PlacementRequest request,
    Decision decision,
    Intent intent,
    Policy.Mode mode) {

  /** The pod's name, possibly partial. */
  public PodIdentity pod() {
    return podRequest.pod();
  }

  /**
   * The prediction for the GPU that was granted, else for the first of the cluster's devices by
   * name; empty where the model is unknown.
   */
  public Optional<Prediction> prediction() {
    if (decision instanceof Decision.Admitted admitted) {
      return Optional.ofNullable(admitted.grants().getFirst().prediction());
    }
    return request.predictions().entrySet().stream()
        .min(Comparator.comparing(Map.Entry::getKey))
        .map(Map.Entry::getValue);
  }
}
