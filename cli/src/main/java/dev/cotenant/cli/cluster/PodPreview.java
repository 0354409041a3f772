package dev.cotenant.cli.cluster;

import dev.cotenant.admission.AdmissionListener;
import dev.cotenant.admission.AdmissionPorts;
import dev.cotenant.admission.DecisionRecord;
import dev.cotenant.admission.PodDecisions;
import dev.cotenant.admission.WebhookAnswer;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Optional;

/** Asks what the webhook would decide about a pod, without recording anything. */
final class PodPreview {
  private final PodDecisions decisions;

  PodPreview(Engine engine, ModelRegistry models, ClusterSnapshot snapshot) {
    Clock clock = Clock.fixed(snapshot.takenAt(), ZoneOffset.UTC);
    AdmissionPorts ports =
        new AdmissionPorts(
            () -> snapshot,
            new RegisteredModelPredictor(models, engine),
            engine.decider(),
            new Unheard(),
            clock,
            () -> "preview");
    decisions =
        new PodDecisions(ports, SharingLimits.DEFAULT, new Ledger(clock, Ledger.DEFAULT_HOLD));
  }

  DecisionRecord decide(Colocatable pod) {
    return decisions.preview(pod, Intent.DRY_RUN);
  }

  /** A batch that would be admitted, and where. */
  record Fit(int batchSize, Decision.Admitted decision) {}

  /** The largest batch that fits among the halves of the one asked for; empty where none does. */
  Optional<Fit> smallerBatch(Colocatable pod) {
    for (int batch = pod.workload().batchSize() / 2; batch >= 1; batch /= 2) {
      if (decide(withBatch(pod, batch)).decision() instanceof Decision.Admitted admitted) {
        return Optional.of(new Fit(batch, admitted));
      }
    }
    return Optional.empty();
  }

  private static Colocatable withBatch(Colocatable pod, int batch) {
    WorkloadAnnotations asked = pod.workload();
    return new Colocatable(
        pod.pod(),
        pod.gpu(),
        new WorkloadAnnotations(
            asked.model(),
            batch,
            asked.mode(),
            asked.gpuMemory(),
            asked.sloLatency(),
            asked.requestRate(),
            asked.maxSlowdown(),
            asked.unknown()),
        pod.nodes());
  }

  /** Nobody is told of a preview. */
  private static final class Unheard implements AdmissionListener {
    @Override
    public void answered(WebhookAnswer answer) {}

    @Override
    public void decided(DecisionRecord decision) {}
  }
}
