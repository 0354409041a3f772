package dev.cotenant.admission.fit;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.fit.Placements.Counting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that pods do not fit on now beside GPUs, and why.
 *
 * <p>Fits by resources and ports are cached and follow the nodes that change; fits by other pods
 * and volumes are computed anew after changes that concern them. The maps are never changed after
 * they are returned.
 */
public final class ClusterFit {
  private static final int MAX_CACHED = 4_096;

  /** Limit of cached reasons, some 150 bytes each: a full cluster has one per node. */
  private static final int MAX_REASONS = 500_000;

  private final Placements placements;
  private final Volumes volumes;
  private final Supplier<Collection<WatchedNode>> all;
  private final Map<Key, Cached> cache = new HashMap<>();
  private final Map<String, WatchedNode> candidates = new HashMap<>();
  private long reasons;

  private record Key(Needs needs, Counting counting) {}

  /** Reasons by node: by resources and ports, and all. */
  private record Cached(
      long version, Map<String, String> local, long relations, Map<String, String> total) {
    @SuppressWarnings("ReferenceEquality") // one map is counted once
    int reasons() {
      return total == local ? local.size() : local.size() + total.size();
    }
  }

  /**
   * @param all nodes of the cluster
   */
  public ClusterFit(Placements placements, Volumes volumes, Supplier<Collection<WatchedNode>> all) {
    this.placements = placements;
    this.volumes = volumes;
    this.all = all;
  }

  /** Nodes have changed: these are the candidates. */
  public void reset(Collection<WatchedNode> nodes) {
    synchronized (placements) {
      clear();
      candidates.clear();
      nodes.forEach(node -> candidates.put(node.name(), node));
    }
  }

  /** Grows whenever a change of one node, or of a volume, may change the fit of others. */
  public long relations() {
    return placements.relations() + volumes.version();
  }

  /** The reason for each candidate that a pod does not fit on. */
  public Map<String, String> whyNot(Needs needs, Counting counting) {
    synchronized (placements) {
      Key key = new Key(needs, counting);
      @Nullable Cached before = cache.get(key);
      Cached now = before == null ? made(key, locals(key)) : updated(key, before);
      put(key, now);
      return now.total();
    }
  }

  private void put(Key key, Cached fit) {
    if (cache.size() >= MAX_CACHED || reasons + fit.reasons() > MAX_REASONS) {
      clear();
    }
    @Nullable Cached before = cache.put(key, fit);
    reasons += fit.reasons() - (before == null ? 0 : before.reasons());
  }

  private void clear() {
    cache.clear();
    reasons = 0;
  }

  /** Number of reasons in the cache. */
  int cachedReasons() {
    synchronized (placements) {
      return cache.values().stream().mapToInt(Cached::reasons).sum();
    }
  }

  private Cached updated(Key key, Cached before) {
    boolean current = isCurrent(before, key.needs());
    if (current && before.version() == placements.version()) {
      return before;
    }
    Map<String, String> local = updatedLocals(key, before);
    return current && local.equals(before.local())
        ? new Cached(placements.version(), before.local(), before.relations(), before.total())
        : made(key, local);
  }

  private Cached made(Key key, Map<String, String> local) {
    long relations = relations();
    return new Cached(placements.version(), local, relations, total(key.needs(), local));
  }

  private boolean isCurrent(Cached cached, Needs needs) {
    return cached.relations() == relations() || !needs.demand().dependsOnOthers();
  }

  private Map<String, String> locals(Key key) {
    Map<String, String> local = new HashMap<>();
    candidates.values().forEach(node -> update(local, key, node));
    return local;
  }

  private Map<String, String> updatedLocals(Key key, Cached before) {
    Optional<Set<String>> changed = placements.changedSince(before.version());
    if (changed.isEmpty()) {
      return locals(key);
    }
    List<WatchedNode> affected = new ArrayList<>();
    for (String name : changed.get()) {
      @Nullable WatchedNode node = candidates.get(name);
      if (node != null) {
        affected.add(node);
      }
    }
    if (affected.isEmpty()) {
      return before.local();
    }
    Map<String, String> local = new HashMap<>(before.local());
    affected.forEach(node -> update(local, key, node));
    return local;
  }

  private void update(Map<String, String> reasons, Key key, WatchedNode node) {
    NodeFit.whyNot(
            key.needs().demand().footprint(),
            node.allocatable(),
            placements.on(node.name(), key.counting()))
        .ifPresentOrElse(why -> reasons.put(node.name(), why), () -> reasons.remove(node.name()));
  }

  private Map<String, String> total(Needs needs, Map<String, String> local) {
    Demand demand = needs.demand();
    if (!demand.dependsOnOthers() && needs.avoided().isEmpty()) {
      return local;
    }
    Map<String, String> total = new HashMap<>(needs.avoided());
    total.keySet().retainAll(candidates.keySet());
    if (demand.dependsOnOthers()) {
      TopologyFit topology = TopologyFit.of(needs, all.get(), placements);
      for (WatchedNode node : candidates.values()) {
        topology
            .whyNot(node)
            .or(() -> volumes.whyNot(demand, node))
            .ifPresent(why -> total.put(node.name(), why));
      }
    }
    total.putAll(local);
    return total;
  }
}
