package dev.cotenant.service.decisions;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.service.evidence.EvidenceCounts;
import java.util.function.Consumer;

/**
 * Records the decisions of webhooks and gate. Waits for nothing.
 *
 * @param history of this process
 * @param evidence counts them by namespace
 * @param log stores them
 */
public record DecisionRecorder(DecisionHistory history, EvidenceCounts evidence, DecisionLog log)
    implements Consumer<DecisionRecord> {
  @Override
  public void accept(DecisionRecord decision) {
    history.add(decision);
    evidence.decided(decision);
    log.add(decision);
  }
}
