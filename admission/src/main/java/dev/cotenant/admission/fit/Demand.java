package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.PodTopology.Term;
import java.util.Set;

/**
 * The facts about a pod on which its fit depends, and no others: pods with equal demands fit the
 * same nodes.
 *
 * @param namespace its namespace; empty where it does not matter
 * @param footprint its footprint, with the labels that its own selectors compare
 * @param repelledBy the anti-affinity terms of placed pods that select it
 */
public record Demand(String namespace, Footprint footprint, Set<Term> repelledBy) {
  /** A pod that takes no resources. */
  public static final Demand NONE = new Demand("", Footprint.NONE, Set.of());

  public Demand {
    repelledBy = Set.copyOf(repelledBy);
  }

  /** Whether the fit of a node depends on other nodes, or on volumes. */
  public boolean dependsOnOthers() {
    return !footprint.topology().isEmpty()
        || !repelledBy.isEmpty()
        || !footprint.volumeClaims().isEmpty();
  }
}
