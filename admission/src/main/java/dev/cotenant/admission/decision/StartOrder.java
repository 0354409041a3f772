package dev.cotenant.admission.decision;

import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.EngineStart;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The order in which servers of language models start on the GPUs of a ledger: two that start at
 * once count each other's memory and fail. A ledger sees neither samples nor metrics of pods, so
 * time alone says that a server has started: as long as the gate waits at most, from the creation
 * of its pod on.
 */
final class StartOrder {
  static final Duration LIMIT = Duration.ofMinutes(10);

  private final Ledger ledger;

  StartOrder(Ledger ledger) {
    this.ledger = ledger;
  }

  /** GPUs where a server starts, by uuid; empty for pods without a server. */
  Map<String, Reason> blocking(Colocatable pod, Instant now) {
    Map<String, Reason> blocking = new HashMap<>();
    if (!pod.workload().isServer()) {
      return blocking;
    }
    for (LedgerEntry entry : ledger.entries()) {
      Instant since = entry.state() instanceof LedgerEntry.Bound bound ? bound.at() : entry.since();
      if (sharesAsServer(entry) && now.isBefore(since.plus(LIMIT))) {
        Grant grant = entry.admitted().grants().getFirst();
        blocking.put(
            grant.gpuUuid(),
            new Reason.EngineStarting(
                grant.gpuUuid(),
                grant.node(),
                new EngineStart(
                    entry.capacityRequest().pod().toString(),
                    entry.state() instanceof LedgerEntry.Bound,
                    Duration.between(since, now),
                    null,
                    Duration.ZERO,
                    LIMIT)));
      }
    }
    return blocking;
  }

  private static boolean sharesAsServer(LedgerEntry entry) {
    Decision.Admitted admitted = entry.admitted();
    return admitted.evidence() instanceof Evidence.WithinLimits
        && entry.capacityRequest().request().workload().isServer();
  }
}
