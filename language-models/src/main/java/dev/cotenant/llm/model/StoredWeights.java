package dev.cotenant.llm.model;

import java.util.Map;
import java.util.TreeMap;

/**
 * The tensors that the headers of a model's files list.
 *
 * @param bytesByType bytes by the type as the file names it, such as {@code BF16} or {@code Q4_K}
 * @param parameters elements; packed 4-bit weights count as their containers
 * @param tensors how many
 */
public record StoredWeights(Map<String, Long> bytesByType, long parameters, int tensors) {
  /** Nothing yet. */
  public static final StoredWeights NONE = new StoredWeights(Map.of(), 0, 0);

  public StoredWeights {
    bytesByType = java.util.Collections.unmodifiableMap(new TreeMap<>(bytesByType));
  }

  /** All bytes. */
  public long bytes() {
    return bytesByType.values().stream().mapToLong(Long::longValue).reduce(0, Math::addExact);
  }

  /**
   * Both.
   *
   * @throws ArithmeticException beyond a long
   */
  public StoredWeights plus(StoredWeights other) {
    Map<String, Long> sum = new TreeMap<>(bytesByType);
    other.bytesByType.forEach((type, bytes) -> sum.merge(type, bytes, Math::addExact));
    return new StoredWeights(
        sum, Math.addExact(parameters, other.parameters), Math.addExact(tensors, other.tensors));
  }
}
