package dev.cotenant.admission.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Amounts of resources, as kube-scheduler counts them: cpu in thousandths of a core, all others in
 * whole units (bytes, devices, pods). Immutable; sums are cut off at {@link Long#MAX_VALUE}.
 */
public final class ResourceAmounts {
  public static final String CPU = "cpu";
  public static final String MEMORY = "memory";
  public static final String EPHEMERAL_STORAGE = "ephemeral-storage";
  public static final String PODS = "pods";
  public static final String HUGE_PAGES_PREFIX = "hugepages-";

  public static final ResourceAmounts NONE = new ResourceAmounts(Map.of());

  private final Map<String, Long> byName;
  private final int hash;

  private ResourceAmounts(Map<String, Long> byName) {
    this.byName = Map.copyOf(byName);
    this.hash = this.byName.hashCode();
  }

  /**
   * Amounts by resource.
   *
   * @throws IllegalArgumentException for a negative amount
   */
  public static ResourceAmounts of(Map<String, Long> byName) {
    byName.forEach((name, amount) -> {
      if (amount < 0) {
        throw new IllegalArgumentException(name + " must not be negative, is " + amount);
      }
    });
    return byName.isEmpty() ? NONE : new ResourceAmounts(byName);
  }

  public Set<String> names() {
    return byName.keySet();
  }

  public boolean has(String name) {
    return byName.containsKey(name);
  }

  public boolean isEmpty() {
    return byName.isEmpty();
  }

  /** The amount of a resource; 0 without one. */
  public long of(String name) {
    return byName.getOrDefault(name, 0L);
  }

  public ResourceAmounts plus(ResourceAmounts other) {
    return merged(other, ResourceAmounts::sum);
  }

  /** The larger amount of each resource. */
  public ResourceAmounts max(ResourceAmounts other) {
    return merged(other, Math::max);
  }

  /** These amounts, overridden by the other's entries. */
  public ResourceAmounts replacedBy(ResourceAmounts other) {
    return merged(other, (_, replacement) -> replacement);
  }

  private ResourceAmounts merged(
      ResourceAmounts other, java.util.function.BinaryOperator<Long> merge) {
    if (other.isEmpty() || isEmpty()) {
      return other.isEmpty() ? this : other;
    }
    Map<String, Long> all = new HashMap<>(byName);
    other.byName.forEach((name, amount) -> all.merge(name, amount, merge));
    return new ResourceAmounts(all);
  }

  private static long sum(long one, long other) {
    return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof ResourceAmounts amounts
            && hash == amounts.hash
            && byName.equals(amounts.byName));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return new java.util.TreeMap<>(byName).toString();
  }
}
