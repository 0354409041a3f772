package dev.cotenant.admission.kubernetes.watch;

import java.util.Map;
import java.util.Set;

/** Is told what objects of a kind there are, by one thread. */
interface ObjectSink<T> {
  /**
   * All that there are.
   *
   * @param all those that matter, by key
   * @param unreadable keys of those that are there but cannot be read
   */
  void listed(Map<String, T> all, Set<String> unreadable);

  /** One is new or has changed. */
  void changed(String key, T object);

  /** One is gone, or does not matter any more. */
  void removed(String key);
}
