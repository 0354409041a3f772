package dev.cotenant.admission.kubernetes.access;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map whose entries have owners. A full map drops the oldest entry of the owner with the
 * most, so that one owner's flood never drops an entry of an owner with fewer. Safe for use by many
 * threads.
 */
final class FairBoundedMap<K, V> {
  private final int most;
  private final Map<K, Owned<V>> entries = new LinkedHashMap<>();
  private final Map<String, Set<K>> byOwner = new HashMap<>();

  private record Owned<V>(String owner, V value) {}

  /** A map of at most so many entries. */
  FairBoundedMap(int most) {
    this.most = most;
  }

  synchronized @Nullable V find(K key) {
    Owned<V> found = entries.get(key);
    return found == null ? null : found.value;
  }

  synchronized void put(String owner, K key, V value) {
    remove(key);
    if (entries.size() >= most) {
      remove(oldestOfTheLargest());
    }
    entries.put(key, new Owned<>(owner, value));
    byOwner.computeIfAbsent(owner, _ -> new LinkedHashSet<>()).add(key);
  }

  synchronized void remove(K key) {
    Owned<V> removed = entries.remove(key);
    if (removed != null) {
      Set<K> rest = Objects.requireNonNull(byOwner.get(removed.owner));
      rest.remove(key);
      if (rest.isEmpty()) {
        byOwner.remove(removed.owner);
      }
    }
  }

  private K oldestOfTheLargest() {
    return byOwner.values().stream()
        .max(Comparator.comparingInt(Set::size))
        .orElseThrow()
        .iterator()
        .next();
  }
}
