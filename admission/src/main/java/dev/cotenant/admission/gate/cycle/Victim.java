package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import java.time.Instant;
import java.util.Comparator;

/** A pod that may give way to one of higher priority, and its capacity. */
record Victim(TrackedPod pod, PodGrant grant) {
  /** The lowest priority first, then the youngest. */
  static final Comparator<Victim> MIN_IMPORTANT_FIRST =
      Comparator.comparingInt(Victim::priority)
          .thenComparing(Victim::createdAt, Comparator.reverseOrder())
          .thenComparing(victim -> victim.pod.uid());

  /** What taking its capacity costs, from the least. */
  enum Cost {
    /** Its nomination ends. */
    NOMINATION,
    /** The victim is evicted before its start. */
    UNSTARTED,
    /** It is evicted while it runs. */
    RUNNING
  }

  Cost cost() {
    if (grant.isNomination()) {
      return Cost.NOMINATION;
    }
    return isStarted() ? Cost.RUNNING : Cost.UNSTARTED;
  }

  /** Whether its usage is in the metrics of its GPUs. */
  boolean isStarted() {
    WatchedPod.Life life = pod.latest().life();
    return life.startedAt() != null || life.phase() == WatchedPod.Phase.RUNNING;
  }

  int priority() {
    return pod.latest().scheduling().priority();
  }

  Instant createdAt() {
    return pod.latest().life().createdAt();
  }
}
