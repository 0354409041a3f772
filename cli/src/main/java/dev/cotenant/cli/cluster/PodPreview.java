package dev.cotenant.cli.cluster;

import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.LargestBatch;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Optional;

/** The webhook's decision about a pod, without recording it. */
final class PodPreview {
  private final PodDecisions decisions;

  PodPreview(Engine engine, ModelRegistry models, ClusterSnapshot snapshot) {
    Clock clock = Clock.fixed(snapshot.takenAt(), ZoneOffset.UTC);
    DecisionPorts ports =
        new DecisionPorts(
            () -> snapshot, new RegisteredModelPredictor(models, engine), engine.decider(), clock);
    decisions =
        new PodDecisions(
            ports, Policies.of(Policy.DEFAULT), new Ledger(clock, Ledger.DEFAULT_HOLD));
  }

  DecisionRecord decide(Colocatable pod) {
    return decisions.preview(pod, Intent.DRY_RUN);
  }

  /** The largest batch that would be admitted in place of the pod's; empty where none would. */
  Optional<LargestBatch.Fit> largestBatch(Colocatable pod) {
    return LargestBatch.below(pod, other -> decide(other).decision());
  }
}
