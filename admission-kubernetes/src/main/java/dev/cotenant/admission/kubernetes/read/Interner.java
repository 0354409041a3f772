package dev.cotenant.admission.kubernetes.read;

import java.util.HashMap;
import java.util.Map;

/**
 * Equal values as one object: the replicas of a workload have equal labels and requests. Not safe
 * for use by many threads.
 */
final class Interner {
  /** More different values are in no use at a time; they are then collected again. */
  private static final int MAX = 20_000;

  private final Map<Object, Object> values = new HashMap<>();

  @SuppressWarnings("unchecked") // a value equals values of its own type only
  <T> T intern(T value) {
    if (values.size() >= MAX) {
      values.clear();
    }
    return (T) values.computeIfAbsent(value, _ -> value);
  }
}
