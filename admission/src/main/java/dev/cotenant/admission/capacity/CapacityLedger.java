package dev.cotenant.admission.capacity;

import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Port: the one ledger on which this cluster's capacity is granted, whoever keeps it: this process
 * in mode Immediate, the leading gate controller else.
 *
 * <p>Every method throws {@link NotLeadingException} where this process does not keep the ledger:
 * what it knows could be wrong. Safe for use by many threads.
 */
public interface CapacityLedger {
  /** The number of the term in which this process keeps the ledger; 0 where there are no terms. */
  long term();

  /** The cluster with all grants as tenants. */
  ClusterSnapshot withGrants();

  /**
   * Decides on what all grants leave and holds what is granted, under one lock. What is held lapses
   * where nobody confirms it.
   *
   * @param claim who asks; its token is new, or what it held is given back first
   * @param decide decides on the cluster with all other grants
   */
  Held hold(Claim claim, Function<ClusterSnapshot, Decision> decide);

  /** The state of a token's grant; {@code RELEASED} where it has none. */
  GrantState state(String token);

  /** Those of these tokens under which nothing stands. */
  default Set<String> gone(Collection<String> tokens) {
    return tokens.stream()
        .filter(token -> state(token) == GrantState.RELEASED)
        .collect(Collectors.toSet());
  }

  /** Makes what is held a pod's; whether it is. Repeating it is harmless. */
  boolean confirm(String token, PodIdentity pod, String uid);

  /** Gives back what a token holds; whether it held something. */
  boolean release(String token);

  /**
   * A decision, and how long it holds unless it is confirmed.
   *
   * @param until when it lapses; of no meaning unless admitted
   */
  record Held(Decision decision, Instant until) {}
}
