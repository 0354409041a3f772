package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.Term;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Pods by node for the whole cluster: bound pods on their node, granted pods on their grant's node.
 *
 * <p>Changes come from a single thread; other threads may compute fits under its lock.
 */
public final class Placements {
  /** Longer change logs are dropped; fits are then computed anew. */
  private static final int MAX_CHANGES = 10_000;

  private static final int MAX_FILTERS = 512;

  private final Consumer<String> freed;
  private final Map<String, Known> known = new HashMap<>();
  private final Map<String, String> granted = new HashMap<>();
  private final Map<String, Loads> loads = new HashMap<>();

  /** Matching pods by node, of the filters that are in use. */
  private final Map<PodFilter, Map<String, Integer>> counted = new HashMap<>();

  /** Nodes of the pods with an anti-affinity term, by the namespaces that the term selects. */
  private final Map<String, Map<Term, Map<String, Integer>>> repelling = new HashMap<>();

  private final List<String> changes = new ArrayList<>();
  private long dropped;
  private long relations;

  private record Known(String namespace, Footprint footprint, @Nullable String node) {}

  private record Placed(String namespace, Footprint footprint, String node, boolean byGrant) {
    boolean takesTheSameAs(@Nullable Placed other) {
      return other != null && node.equals(other.node) && footprint.equals(other.footprint);
    }
  }

  /** Loads of a node: of all pods, and of pods without a grant. */
  private record Loads(NodeLoad all, NodeLoad ungranted) {}

  /** Which pods on a node count. */
  public enum Counting {
    ALL,
    /** Pods without a grant: the others free their capacity together with their GPUs. */
    UNGRANTED
  }

  /** Whether a change is undone at once. */
  private boolean hypothetical;

  /**
   * @param freed receives nodes on which resources may have become free
   */
  public Placements(Consumer<String> freed) {
    this.freed = freed;
  }

  /**
   * Adds a live pod, or its new state.
   *
   * @param node null while unbound
   */
  public void put(String uid, String namespace, Footprint footprint, @Nullable String node) {
    change(uid, () -> known.put(uid, new Known(namespace, footprint, node)));
  }

  /** Removes a pod that is gone or finished. */
  public void remove(String uid) {
    change(uid, () -> known.remove(uid));
  }

  /** Records a pod's grant on a node. */
  public void granted(String uid, String node) {
    change(uid, () -> granted.put(uid, node));
  }

  /** A pod has no grant any more. */
  public void released(String uid) {
    change(uid, () -> granted.remove(uid));
  }

  /** Computes something as if a pod had no grant. */
  public <T> T without(String uid, Supplier<T> computed) {
    String node = granted.get(uid);
    if (node == null) {
      return computed.get();
    }
    released(uid);
    try {
      return computed.get();
    } finally {
      granted(uid, node);
    }
  }

  /** Computes a result without these pods. */
  public synchronized <T> T absent(Collection<String> uids, Supplier<T> computed) {
    Map<String, Known> before = new HashMap<>();
    hypothetical = true;
    try {
      for (String uid : uids) {
        @Nullable Known pod = known.get(uid);
        if (pod != null) {
          before.put(uid, pod);
          remove(uid);
        }
      }
      return computed.get();
    } finally {
      before.forEach((uid, pod) -> change(uid, () -> known.put(uid, pod)));
      hypothetical = false;
    }
  }

  private synchronized void change(String uid, Runnable change) {
    @Nullable Placed before = placed(uid);
    change.run();
    @Nullable Placed after = placed(uid);
    if (Objects.equals(before, after)) {
      return;
    }
    if (before != null) {
      count(before, -1);
      Loads there = loads.getOrDefault(before.node(), new Loads(new NodeLoad(), new NodeLoad()));
      there.all().remove(uid, before.footprint());
      if (!before.byGrant()) {
        there.ungranted().remove(uid, before.footprint());
      }
      changed(before.node());
      if (!hypothetical && !before.takesTheSameAs(after)) {
        freed.accept(before.node());
      }
    }
    if (after != null) {
      count(after, 1);
      Loads there =
          loads.computeIfAbsent(after.node(), _ -> new Loads(new NodeLoad(), new NodeLoad()));
      there.all().add(uid, after.footprint());
      if (!after.byGrant()) {
        there.ungranted().add(uid, after.footprint());
      }
      changed(after.node());
    }
  }

  private @Nullable Placed placed(String uid) {
    Known pod = known.get(uid);
    String grant = granted.get(uid);
    if (pod == null) {
      return null;
    }
    @Nullable String node = pod.node() == null ? grant : pod.node();
    return node == null ? null : new Placed(pod.namespace(), pod.footprint(), node, grant != null);
  }

  private void changed(String node) {
    if (changes.size() == MAX_CHANGES) {
      dropped += changes.size();
      changes.clear();
    }
    changes.add(node);
  }

  private void count(Placed placed, int by) {
    counted.forEach((filter, byNode) -> {
      if (filter.matches(placed.namespace(), placed.footprint().labels())) {
        add(byNode, placed.node(), by);
        relations++;
      }
    });
    for (Term term : placed.footprint().topology().antiAffinity()) {
      relations++;
      for (String namespace : term.pods().namespaces()) {
        Map<Term, Map<String, Integer>> terms =
            repelling.computeIfAbsent(namespace, _ -> new HashMap<>());
        Map<String, Integer> byNode = terms.computeIfAbsent(term, _ -> new HashMap<>());
        add(byNode, placed.node(), by);
        if (byNode.isEmpty()) {
          terms.remove(term);
        }
      }
    }
  }

  private static void add(Map<String, Integer> byNode, String node, int by) {
    byNode.merge(node, by, (before, more) -> before + more == 0 ? null : before + more);
  }

  /** Grows whenever a change of one node may change the fit of others. */
  public synchronized long relations() {
    return relations;
  }

  /** Grows with every change. */
  synchronized long version() {
    return dropped + changes.size();
  }

  /** The nodes that changed since a version; empty where that is too long ago. */
  synchronized Optional<Set<String>> changedSince(long version) {
    return version < dropped
        ? Optional.empty()
        : Optional.of(new HashSet<>(changes.subList((int) (version - dropped), changes.size())));
  }

  synchronized NodeLoad on(String node, Counting counting) {
    Loads there = loads.get(node);
    if (there == null) {
      return new NodeLoad();
    }
    return counting == Counting.ALL ? there.all() : there.ungranted();
  }

  /** Matching pods by node, without nodes that have none. */
  synchronized Map<String, Integer> count(List<PodSelector> selectors) {
    PodFilter filter = new PodFilter(selectors);
    if (counted.size() >= MAX_FILTERS && !counted.containsKey(filter)) {
      counted.clear();
      relations++; // nothing is counted for the dropped filters any more
    }
    return counted.computeIfAbsent(filter, this::counted);
  }

  private Map<String, Integer> counted(PodFilter filter) {
    Map<String, Integer> byNode = new HashMap<>();
    for (String uid : known.keySet()) {
      @Nullable Placed placed = placed(uid);
      if (placed != null && filter.matches(placed.namespace(), placed.footprint().labels())) {
        add(byNode, placed.node(), 1);
      }
    }
    return byNode;
  }

  /** The nodes of the pods with an anti-affinity term. */
  synchronized Set<String> repellingNodes(Term term) {
    return term.pods().namespaces().stream()
        .flatMap(namespace ->
            repelling
                .getOrDefault(namespace, Map.of())
                .getOrDefault(term, Map.of())
                .keySet()
                .stream())
        .collect(Collectors.toSet());
  }

  /** The demand of a pod. */
  public synchronized Demand demand(String namespace, Footprint pod) {
    Set<Term> repelledBy =
        repelling.getOrDefault(namespace, Map.of()).keySet().stream()
            .filter(term -> term.pods().labels().matches(pod.labels()))
            .collect(Collectors.toUnmodifiableSet());
    PodTopology topology = pod.topology();
    Demand demand =
        new Demand(
            namespace,
            new Footprint(
                pod.requests(),
                pod.ports(),
                topology.compared(pod.labels()),
                topology,
                pod.volumeClaims()),
            repelledBy);
    return demand.dependsOnOthers() ? demand : new Demand("", demand.footprint(), repelledBy);
  }
}
