package dev.cotenant.admission.decision;

import dev.cotenant.domain.cluster.ClusterSource;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.placement.SharingDecider;
import java.time.InstantSource;

/**
 * The sources of decisions about pods; all of them fast and free of I/O.
 *
 * @param cluster the state of the cluster, without the ledger's own pods as tenants
 * @param predictor predictions for registered models
 * @param decider the decision function
 * @param clock dates decisions
 * @param spans the traces of reviews
 */
public record DecisionPorts(
    ClusterSource cluster,
    WorkloadPredictor predictor,
    SharingDecider decider,
    InstantSource clock,
    Spans spans) {
  /** Without traces. */
  public DecisionPorts(
      ClusterSource cluster,
      WorkloadPredictor predictor,
      SharingDecider decider,
      InstantSource clock) {
    this(cluster, predictor, decider, clock, Spans.NONE);
  }
}
