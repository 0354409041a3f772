package dev.cotenant.admission.gate.cycle;

import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Pods whose capacity makes another pod fit.
 *
 * @param victims none can be left out; empty where the pods that terminate already suffice
 * @param leaving whether pods that terminate already have to be gone
 * @param admitted where the pod fits then
 */
record VictimSet(List<Victim> victims, boolean leaving, Decision.Admitted admitted) {
  /** The cheapest first: by cost, by the highest priority, fewest, then youngest. */
  static final Comparator<VictimSet> CHEAPEST_FIRST =
      Comparator.comparing(VictimSet::cost)
          .thenComparingInt(VictimSet::highestPriority)
          .thenComparingInt(set -> set.victims.size())
          .thenComparing(VictimSet::oldest, Comparator.reverseOrder())
          .thenComparing(set -> set.admitted.grants().getFirst().gpuUuid());

  VictimSet {
    victims = List.copyOf(victims);
  }

  private Victim.Cost cost() {
    return victims.stream()
        .map(Victim::cost)
        .max(Comparator.naturalOrder())
        .orElse(Victim.Cost.NOMINATION);
  }

  private int highestPriority() {
    return victims.stream().mapToInt(Victim::priority).max().orElse(Integer.MIN_VALUE);
  }

  private Instant oldest() {
    return victims.stream()
        .map(Victim::createdAt)
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  /** Whether the capacity is free at once. */
  boolean waitsForNobody() {
    return !leaving && evicted().isEmpty();
  }

  /** Those whose nomination ends. */
  List<Victim> nominated() {
    return victims.stream().filter(victim -> victim.grant().isNomination()).toList();
  }

  /** Those that are evicted. */
  List<Victim> evicted() {
    return victims.stream().filter(victim -> !victim.grant().isNomination()).toList();
  }

  /** The GPUs that become free. */
  String gpus() {
    return admitted.grants().stream()
            .map(grant -> grant.gpuUuid())
            .collect(Collectors.joining(", "))
        + " of "
        + admitted.grants().getFirst().node();
  }
}
