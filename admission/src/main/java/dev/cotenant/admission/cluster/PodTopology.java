package dev.cotenant.admission.cluster;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The required placement of a pod relative to others. Preferred terms, and constraints with {@code
 * ScheduleAnyway}, exclude no node and are absent.
 *
 * @param affinity required pod affinity
 * @param antiAffinity required pod anti-affinity
 * @param spread topology spread constraints with {@code DoNotSchedule}
 */
public record PodTopology(
    List<Term> affinity, List<Term> antiAffinity, List<SpreadConstraint> spread) {
  public static final PodTopology NONE = new PodTopology(List.of(), List.of(), List.of());

  public PodTopology {
    affinity = List.copyOf(affinity);
    antiAffinity = List.copyOf(antiAffinity);
    spread = List.copyOf(spread);
  }

  public boolean isEmpty() {
    return affinity.isEmpty() && antiAffinity.isEmpty() && spread.isEmpty();
  }

  /** The labels that its own selectors compare. */
  public Map<String, String> compared(Map<String, String> labels) {
    if (isEmpty()) {
      return Map.of();
    }
    return Stream.concat(
            Stream.concat(affinity.stream(), antiAffinity.stream())
                .map(Term::pods)
                .map(PodSelector::labels),
            spread.stream().map(SpreadConstraint::pods).map(PodSelector::labels))
        .flatMap(LabelSelector::keys)
        .filter(labels::containsKey)
        .distinct()
        .collect(Collectors.toUnmodifiableMap(key -> key, labels::get));
  }

  /** Pods of some namespaces. */
  public record PodSelector(Set<String> namespaces, LabelSelector labels) {
    public PodSelector {
      namespaces = Set.copyOf(namespaces);
    }

    public boolean matches(String namespace, Map<String, String> podLabels) {
      return namespaces.contains(namespace) && labels.matches(podLabels);
    }
  }

  /**
   * A term of pod affinity or anti-affinity.
   *
   * @param pods the selected pods
   * @param topologyKey the node label whose values are the domains
   */
  public record Term(PodSelector pods, String topologyKey) {}

  /**
   * A topology spread constraint with the default node inclusion policies: nodes that the pod's
   * selector and affinity exclude are left out, tainted nodes count.
   *
   * @param pods the selected pods, of the pod's own namespace
   * @param topologyKey the node label whose values are the domains
   * @param maxSkew largest difference to the emptiest domain, at least 1
   * @param minDomains with fewer domains the emptiest counts as empty; at least 1
   */
  public record SpreadConstraint(
      PodSelector pods, String topologyKey, int maxSkew, int minDomains) {
    public SpreadConstraint {
      if (maxSkew < 1 || minDomains < 1) {
        throw new IllegalArgumentException(
            "maxSkew and minDomains must be at least 1, are " + maxSkew + " and " + minDomains);
      }
    }
  }
}
