package dev.cotenant.features.graph;

import org.jspecify.annotations.Nullable;

/** A tensor that the model stores, without its data unless it is small. Immutable. */
public final class StoredTensor {
  private final ElementType type;
  private final long[] extents;
  private final double @Nullable [] numbers;
  private final @Nullable String externalLocation;

  private StoredTensor(
      ElementType type,
      long[] extents,
      double @Nullable [] numbers,
      @Nullable String externalLocation) {
    this.type = type;
    this.extents = extents;
    this.numbers = numbers;
    this.externalLocation = externalLocation;
  }

  /**
   * A tensor in the file.
   *
   * @param extents extents by axis, each at least 0
   * @param numbers its elements where there are few of them and they are numbers
   */
  public static StoredTensor of(ElementType type, long[] extents, double @Nullable [] numbers) {
    return new StoredTensor(type, extents.clone(), numbers == null ? null : numbers.clone(), null);
  }

  /** A tensor whose data lies in another file, which is never opened. */
  public static StoredTensor external(ElementType type, long[] extents, String location) {
    return new StoredTensor(type, extents.clone(), null, location);
  }

  public ElementType type() {
    return type;
  }

  public int rank() {
    return extents.length;
  }

  public long[] extents() {
    return extents.clone();
  }

  /** Its elements where there are few of them and they are numbers. */
  public double @Nullable [] numbers() {
    return numbers == null ? null : numbers.clone();
  }

  /** Where its data lies when not in the file. */
  public @Nullable String externalLocation() {
    return externalLocation;
  }

  /** Bytes of retained elements. */
  public long keptBytes() {
    return numbers == null ? 0 : (long) numbers.length * Double.BYTES;
  }

  /** Number of elements; stops at {@link Long#MAX_VALUE}. */
  public long elements() {
    return elements(extents);
  }

  /** Number of elements of those extents; stops at {@link Long#MAX_VALUE}. */
  public static long elements(long... extents) {
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
