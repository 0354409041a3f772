package dev.cotenant.admission.kubernetes.watch;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The known objects of one kind: turns lists and events into differences. A difference whose sink
 * failed is passed again after the next list. Not safe for use by many threads.
 */
final class KnownObjects<T> implements ObjectSink<T> {
  private final Consumer<T> seen;
  private final Consumer<String> gone;
  private final Map<String, T> known = new HashMap<>();
  private boolean complete;
  private boolean passesOn;

  /**
   * @param seen receives new and changed objects
   * @param gone receives the keys of removed ones
   */
  KnownObjects(Consumer<T> seen, Consumer<String> gone) {
    this.seen = seen;
    this.gone = gone;
  }

  /** Whether there was a list. */
  boolean isComplete() {
    return complete;
  }

  /** All known objects; from now on differences are passed on. */
  Collection<T> all() {
    passesOn = true;
    return List.copyOf(known.values());
  }

  @Override
  public void listed(Map<String, T> all, Set<String> unreadable) {
    List<String> missing =
        known.keySet().stream()
            .filter(key -> !all.containsKey(key) && !unreadable.contains(key))
            .sorted()
            .toList();
    missing.forEach(this::removed);
    all.forEach(this::changed);
    complete = true;
  }

  @Override
  public void changed(String key, T object) {
    if (passesOn && !object.equals(known.get(key))) {
      seen.accept(object);
    }
    known.put(key, object);
  }

  @Override
  public void removed(String key) {
    if (passesOn && known.containsKey(key)) {
      gone.accept(key);
    }
    known.remove(key);
  }
}
