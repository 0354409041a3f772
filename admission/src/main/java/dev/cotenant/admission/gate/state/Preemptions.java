package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.ledger.PodGrant;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The preemptions of a term, one for each preemptor, and no two on a GPU. The capacity of each is
 * in the ledger, under the preemptor's uid, until it is granted, lapses, or is given up.
 */
public final class Preemptions {
  private final GrantLedger ledger;
  private final Map<String, Preemption> byPreemptor = new TreeMap<>();

  /** Pods that are not evicted before a time, by uid. */
  private final Map<String, Instant> protectedUntil = new HashMap<>();

  /** Pods that do not preempt before a time, by uid. */
  private final Map<String, Instant> pausedUntil = new HashMap<>();

  Preemptions(GrantLedger ledger) {
    this.ledger = ledger;
  }

  /** The preemption for a pod; null where none is under way. */
  public @Nullable Preemption find(String preemptor) {
    Preemption known = byPreemptor.get(preemptor);
    return known != null && holds(known) ? known : null;
  }

  Collection<Preemption> all() {
    return Collections.unmodifiableCollection(byPreemptor.values());
  }

  private boolean holds(Preemption preemption) {
    return preemption.hold().equals(ledger.find(preemption.preemptor()).orElse(null));
  }

  /** Whether this preemption has not ended. */
  @SuppressWarnings("ReferenceEquality") // preemptions have identity
  public boolean isUnderWay(Preemption preemption) {
    return find(preemption.preemptor()) == preemption;
  }

  /** Whether a grant is the capacity of a preemption. */
  public boolean isHold(PodGrant grant) {
    Preemption known = byPreemptor.get(grant.key());
    return known != null && known.hold().equals(grant);
  }

  /** Whether capacity of a GPU is held for a preemptor. */
  public boolean isHeld(String gpu) {
    return byPreemptor.values().stream()
        .anyMatch(known -> known.hold().gpus().contains(gpu) && holds(known));
  }

  /**
   * Begins a preemption: its capacity counts in addition to that of the victims.
   *
   * @throws IllegalStateException if a preemption is in progress on one of its GPUs
   */
  public void begin(Preemption preemption) {
    for (String gpu : preemption.hold().gpus()) {
      if (isHeld(gpu)) {
        throw new IllegalStateException("another preemption is under way on " + gpu);
      }
    }
    byPreemptor.put(preemption.preemptor(), preemption);
    ledger.allocate(preemption.hold());
  }

  /**
   * Takes the capacity of a preemption out of the ledger, while its pod is decided on; it may have
   * lapsed before.
   */
  public @Nullable Preemption suspend(String preemptor) {
    @Nullable Preemption known = byPreemptor.get(preemptor);
    if (known == null) {
      return null;
    }
    if (holds(known)) {
      ledger.release(preemptor);
    } else if (ledger.find(preemptor).isPresent()) {
      byPreemptor.remove(preemptor);
      return null;
    }
    return known;
  }

  /** The pod fits nowhere: the capacity of its preemption counts again, unless it has lapsed. */
  public boolean resume(Preemption preemption, Instant now) {
    boolean lapsed =
        preemption.hold().isExpired(now)
            || preemption.hold().gpus().stream().anyMatch(this::isHeld);
    if (lapsed) {
      byPreemptor.remove(preemption.preemptor());
    } else {
      ledger.allocate(preemption.hold());
    }
    return !lapsed;
  }

  /** Ends a preemption, and releases its capacity. */
  public void end(String preemptor) {
    @Nullable Preemption known = find(preemptor);
    byPreemptor.remove(preemptor);
    if (known != null) {
      ledger.release(preemptor);
    }
  }

  /** A pod is not evicted before this time. */
  public void protect(String victim, Instant until) {
    protectedUntil.put(victim, until);
  }

  /** Whether a pod is not to be evicted now. */
  public boolean isProtected(String victim, Instant now) {
    return now.isBefore(protectedUntil.getOrDefault(victim, Instant.MIN));
  }

  /** A pod does not preempt others before this time. */
  public void pause(String preemptor, Instant until) {
    pausedUntil.put(preemptor, until);
  }

  /** Whether a pod is not to preempt others now. */
  public boolean isPaused(String preemptor, Instant now) {
    return now.isBefore(pausedUntil.getOrDefault(preemptor, Instant.MIN));
  }

  /** The pod is gone. */
  void forget(String uid) {
    byPreemptor.remove(uid);
    protectedUntil.remove(uid);
    pausedUntil.remove(uid);
  }
}
