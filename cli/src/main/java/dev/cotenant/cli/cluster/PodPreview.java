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
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;

/** The webhook's decision about a pod, without recording it. */
final class PodPreview {
  private final PodDecisions decisions;
  private final FolderDescriptions folders;

  /**
   * @param paths folders of this machine by the paths of containers where they are mounted
   */
  PodPreview(
      Engine engine, ModelRegistry models, ClusterSnapshot snapshot, Map<String, Path> paths) {
    folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(null, paths),
            FolderDescriptions.Bounds.DEFAULT,
            InstantSource.system());
    Clock clock = Clock.fixed(snapshot.takenAt(), ZoneOffset.UTC);
    DecisionPorts ports =
        new DecisionPorts(
            () -> snapshot,
            new RegisteredModelPredictor(models, engine, new LanguageModelRuns(models, folders)),
            engine.decider(),
            clock);
    decisions =
        new PodDecisions(
            ports, Policies.of(Policy.DEFAULT), new Ledger(clock, Ledger.DEFAULT_HOLD));
  }

  /** With the folder of its language model read first, which a service does in the background. */
  DecisionRecord decide(Colocatable pod) {
    try {
      DecisionRecord made = decisions.preview(pod, Intent.DRY_RUN);
      return folders.readNext(Duration.ZERO) ? decisions.preview(pod, Intent.DRY_RUN) : made;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw InputException.malformed("interrupted", "The decision was interrupted.");
    }
  }

  /** The largest batch that would be admitted in place of the pod's; empty where none would. */
  Optional<LargestBatch.Fit> largestBatch(Colocatable pod) {
    return LargestBatch.below(pod, other -> decide(other).decision());
  }
}
