package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.ledger.PodGrant;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A preemption under way: capacity is held for a gated pod while pods of lower priority leave it.
 * Victims are evicted one at a time.
 */
public final class Preemption {
  private final PodGrant hold;
  private final Instant until;
  private final List<String> victims;
  private final Set<String> evicted = new HashSet<>();
  private @Nullable String inFlight;
  private int attempts;
  private Instant notBefore = Instant.MIN;

  /**
   * @param hold the capacity, which lapses
   * @param victims uids of the pods to evict, in this order; empty where all of them terminate
   *     already
   */
  public Preemption(PodGrant hold, List<String> victims) {
    Instant end = hold.expiresAt();
    if (end == null) {
      throw new IllegalArgumentException("the hold of " + hold.key() + " must lapse");
    }
    this.hold = hold;
    this.until = end;
    this.victims = List.copyOf(victims);
  }

  /** The uid of the pod with higher priority. */
  public String preemptor() {
    return hold.key();
  }

  /** The held capacity. */
  public PodGrant hold() {
    return hold;
  }

  /** Uids of the pods to evict. */
  public List<String> victims() {
    return victims;
  }

  /** Whether the answer to an eviction is outstanding. */
  public boolean isEvicting() {
    return inFlight != null;
  }

  /** Earliest time of the next eviction. */
  public Instant notBefore() {
    return notBefore;
  }

  /** An eviction is sent; its attempt, from 1. */
  public int evict(String victim) {
    if (inFlight != null) {
      throw new IllegalStateException("the eviction of " + inFlight + " is in flight");
    }
    inFlight = victim;
    return ++attempts;
  }

  /** The eviction of a victim succeeded. */
  public void answered(String victim) {
    evicted.add(victim);
    inFlight = null;
    attempts = 0;
  }

  /** Whether the API server has confirmed the eviction of a victim. */
  public boolean isEvicted(String victim) {
    return evicted.contains(victim);
  }

  /** When its capacity is given up. */
  public Instant until() {
    return until;
  }

  /** The outcome of the eviction is unknown: it is sent again, where the pod does not terminate. */
  public void retry(Instant when) {
    inFlight = null;
    notBefore = when;
  }
}
