package dev.cotenant.service.gate;

import dev.cotenant.admission.kubernetes.read.PodLookup.Presence;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.time.Duration;
import java.util.Objects;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the pods of the grants of mode Immediate: a review may come from anybody, so what it
 * took is released when the API server has no such pod.
 */
public final class GrantCheck {
  private static final Logger LOG = Logger.getLogger(GrantCheck.class);

  /** Between two rounds. */
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  /** Pods in a round that were seen before and did not end by any review. */
  private static final int OTHERS = 10;

  /** One answer of the API server, with retries. */
  private static final Duration LOOK_AT_MOST = Duration.ofMinutes(2);

  private final Ledger ledger;
  private final Pods pods;
  private @Nullable Loop loop;

  /** Port: looks a pod up; the admission id of its annotations is null where it does not count. */
  @FunctionalInterface
  public interface Pods {
    Presence presence(BoundPod pod, @Nullable String admissionId);
  }

  public GrantCheck(Ledger ledger, Pods pods) {
    this.ledger = ledger;
    this.pods = pods;
  }

  /** Looks periodically. */
  void start(Supervisor supervisor) {
    start(INTERVAL, supervisor);
  }

  void start(Duration interval, Supervisor supervisor) {
    loop =
        supervisor.start(
            LoopPlan.restarted("immediate-grants", LOOK_AT_MOST),
            heart -> {
              heart.rest(interval);
              look(heart);
            });
  }

  void stop() {
    if (loop != null) {
      loop.close();
    }
  }

  /** One round; it ends early where the API server does not answer. */
  void look(Heartbeat heart) {
    for (Ledger.Due due : ledger.due(OTHERS)) {
      heart.beat();
      switch (pods.presence(podOf(due.grant()), due.admissionId())) {
        case THERE -> ledger.seen(due.grant());
        case GONE -> release(due.grant());
        case UNKNOWN -> {
          return;
        }
      }
    }
  }

  private void release(LedgerEntry grant) {
    if (ledger.missing(grant)) {
      LOG.infof(
          "Released the grant of %s: the API server has no such pod",
          grant.capacityRequest().pod());
    }
  }

  private static BoundPod podOf(LedgerEntry grant) {
    LedgerEntry.Bound bound = (LedgerEntry.Bound) grant.state();
    return new BoundPod(
        grant.capacityRequest().pod().namespace(),
        Objects.requireNonNullElse(grant.capacityRequest().pod().name(), ""),
        bound.uid());
  }
}
