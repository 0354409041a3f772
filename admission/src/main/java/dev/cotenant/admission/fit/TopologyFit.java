package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeMatch;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.SpreadConstraint;
import dev.cotenant.admission.cluster.PodTopology.Term;
import dev.cotenant.admission.cluster.WatchedNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node suits a pod by the pods on all nodes, as kube-scheduler's filters {@code
 * InterPodAffinity} and {@code PodTopologySpread} decide it [Kubernetes 1.36,
 * pkg/scheduler/framework/plugins], with their words. One deviation: terminating pods count until
 * they are gone.
 */
final class TopologyFit {
  private final Footprint pod;
  private final Demand demand;
  private final Map<String, WatchedNode> nodes;
  private final Placements placements;
  private final List<Rule> rules = new ArrayList<>();

  /** What a node must meet. */
  private record Rule(Predicate<WatchedNode> meets, String words) {}

  private TopologyFit(Demand demand, Collection<WatchedNode> nodes, Placements placements) {
    this.demand = demand;
    this.pod = demand.footprint();
    this.placements = placements;
    this.nodes = nodes.stream().collect(Collectors.toMap(WatchedNode::name, Function.identity()));
  }

  /** The rules for a pod with these needs, by the present placements. */
  static TopologyFit of(Needs needs, Collection<WatchedNode> nodes, Placements placements) {
    TopologyFit fit = new TopologyFit(needs.demand(), nodes, placements);
    fit.affinity();
    fit.antiAffinity();
    fit.spread(needs.nodes());
    return fit;
  }

  /** The first obstacle; empty where there is none. */
  Optional<String> whyNot(WatchedNode node) {
    return rules.stream().filter(rule -> !rule.meets().test(node)).map(Rule::words).findFirst();
  }

  /**
   * A pod counts for a term where it matches all terms. The first pod of a group that selects
   * itself may go anywhere with the topology labels.
   */
  private void affinity() {
    List<Term> terms = pod.topology().affinity();
    if (terms.isEmpty()) {
      return;
    }
    List<PodSelector> all = terms.stream().map(Term::pods).toList();
    Set<String> matching = placements.count(all).keySet();
    Map<String, Set<String>> domains = new HashMap<>();
    terms.forEach(term -> domains.put(term.topologyKey(), domains(matching, term.topologyKey())));
    boolean isFirst =
        domains.values().stream().allMatch(Set::isEmpty) && all.stream().allMatch(this::isSelected);
    rules.add(
        new Rule(
            node ->
                domains.entrySet().stream()
                    .allMatch(domain -> {
                      @Nullable String value = node.labels().get(domain.getKey());
                      return value != null && (isFirst || domain.getValue().contains(value));
                    }),
            "didn't match pod affinity rules"));
  }

  private boolean isSelected(PodSelector selector) {
    return selector.matches(demand.namespace(), pod.labels());
  }

  private void antiAffinity() {
    for (Term term : pod.topology().antiAffinity()) {
      avoid(
          term.topologyKey(),
          placements.count(List.of(term.pods())).keySet(),
          "didn't match pod anti-affinity rules");
    }
    for (Term term : demand.repelledBy()) {
      avoid(
          term.topologyKey(),
          placements.repellingNodes(term),
          "didn't satisfy existing pods anti-affinity rules");
    }
  }

  private void avoid(String topologyKey, Set<String> occupied, String words) {
    Set<String> domains = domains(occupied, topologyKey);
    rules.add(
        new Rule(
            node -> {
              @Nullable String value = node.labels().get(topologyKey);
              return value == null || !domains.contains(value);
            },
            words));
  }

  /** The values of a label on some nodes. */
  private Set<String> domains(Set<String> names, String topologyKey) {
    Set<String> domains = new HashSet<>();
    for (String name : names) {
      @Nullable WatchedNode node = nodes.get(name);
      @Nullable String value = node == null ? null : node.labels().get(topologyKey);
      if (value != null) {
        domains.add(value);
      }
    }
    return domains;
  }

  /**
   * Domains are those of the nodes with all topology labels that the pod's node affinity allows.
   */
  private void spread(NodeRequirements requirements) {
    List<SpreadConstraint> constraints = pod.topology().spread();
    if (constraints.isEmpty()) {
      return;
    }
    Set<String> keys =
        constraints.stream().map(SpreadConstraint::topologyKey).collect(Collectors.toSet());
    List<WatchedNode> eligible =
        nodes.values().stream()
            .filter(node -> node.labels().keySet().containsAll(keys))
            .filter(node -> NodeMatch.isSelected(requirements, node))
            .toList();
    for (SpreadConstraint constraint : constraints) {
      rules.add(
          new Rule(
              node -> node.labels().containsKey(constraint.topologyKey()),
              "didn't match pod topology spread constraints (missing required label)"));
      rules.add(spread(constraint, eligible));
    }
  }

  private Rule spread(SpreadConstraint constraint, List<WatchedNode> eligible) {
    Map<String, Integer> counts = placements.count(List.of(constraint.pods()));
    Map<String, Integer> domains = new HashMap<>();
    for (WatchedNode node : eligible) {
      domains.merge(
          String.valueOf(node.labels().get(constraint.topologyKey())),
          counts.getOrDefault(node.name(), 0),
          Integer::sum);
    }
    int least = domains.size() < constraint.minDomains() ? 0 : Collections.min(domains.values());
    int own = isSelected(constraint.pods()) ? 1 : 0;
    return new Rule(
        node -> {
          String domain = String.valueOf(node.labels().get(constraint.topologyKey()));
          int there = domains.getOrDefault(domain, 0);
          return there + own - least <= constraint.maxSkew();
        },
        "didn't match pod topology spread constraints");
  }
}
