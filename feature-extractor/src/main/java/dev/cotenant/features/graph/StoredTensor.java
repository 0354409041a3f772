package dev.cotenant.features.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that the model stores, without its data unless it is small.
 *
 * @param name name within its graph; empty for an attribute's
 * @param type element type
 * @param extents extents by axis, each at least 0
 * @param numbers its elements where there are few of them and they are numbers
 * @param externalLocation where its data lies when not in the file; never opened
 */
public record StoredTensor(
    String name,
    ElementType type,
    List<Long> extents,
    @Nullable List<Double> numbers,
    @Nullable String externalLocation) {
  public StoredTensor {
    extents = List.copyOf(extents);
    numbers = numbers == null ? null : List.copyOf(numbers);
  }

  /** Number of elements; stops at {@link Long#MAX_VALUE}. */
  public long elements() {
    long product = 1;
    for (long extent : extents) {
      product = multiply(product, extent);
    }
    return product;
  }

  /** Bytes of its elements as stored. */
  public long bytes() {
    return type.bytes(elements());
  }

  private static long multiply(long left, long right) {
    boolean overflows = right != 0 && left > Long.MAX_VALUE / right;
    return overflows ? Long.MAX_VALUE : left * right;
  }
}
