package dev.cotenant.admission.kubernetes.watch;

import java.util.Map;
import java.util.Set;

/** Receives the objects of a kind, on one thread. */
interface ObjectSink<T> {
  /**
   * All objects.
   *
   * @param all the relevant ones, by key
   * @param unreadable keys of those that cannot be read
   */
  void listed(Map<String, T> all, Set<String> unreadable);

  /** An object is new or has changed. */
  void changed(String key, T object);

  /** An object is removed, or no longer relevant. */
  void removed(String key);

  /** The objects cannot be listed or watched now. */
  default void failing() {}
}
