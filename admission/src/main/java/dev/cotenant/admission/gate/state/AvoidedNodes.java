package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are left out for pods of an owner for some time, because the scheduler refused one of
 * its pods there. Not persisted: a new leader may grant such a node once more.
 */
public final class AvoidedNodes {
  private final Map<String, Map<String, Avoided>> byOwner = new HashMap<>();

  private record Avoided(String why, Instant until) {}

  /** Leaves a node out for pods of an owner. */
  public void add(String owner, String node, String why, Instant until) {
    byOwner.computeIfAbsent(owner, _ -> new TreeMap<>()).put(node, new Avoided(why, until));
  }

  /** Nodes to avoid for a pod, with reasons. */
  public Map<String, String> of(WatchedPod pod, Instant now) {
    if (byOwner.isEmpty()) {
      return Map.of();
    }
    @Nullable String owner = pod.controller();
    Map<String, Avoided> nodes = owner == null ? Map.of() : byOwner.getOrDefault(owner, Map.of());
    Map<String, String> reasons = new HashMap<>();
    nodes.forEach((node, avoided) -> {
      if (now.isBefore(avoided.until())) {
        reasons.put(node, avoided.why() + "; it is left out until " + avoided.until());
      }
    });
    return reasons;
  }

  /** Drops expired entries and returns the time of the next expiry, null without one. */
  public @Nullable Instant lapse(Instant now) {
    for (Map<String, Avoided> nodes : byOwner.values()) {
      nodes.values().removeIf(avoided -> !now.isBefore(avoided.until()));
    }
    byOwner.values().removeIf(Map::isEmpty);
    return byOwner.values().stream()
        .flatMap(nodes -> nodes.values().stream())
        .map(Avoided::until)
        .min(Instant::compareTo)
        .orElse(null);
  }
}
