package dev.cotenant.features.inference;

import dev.cotenant.features.graph.ElementType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A count of at least 0 as a function of the batch: {@code Σ coefficient(k) · r^k}, where r is the
 * wanted batch over the declared one.
 *
 * <p>A tensor with one axis that grows with the batch has an amount of elements of degree 1; the
 * similarities of all pairs in a batch have degree 2. Sums and products of amounts are exact, so a
 * graph that was walked once can be counted at any batch. Coefficients stop at {@link
 * Long#MAX_VALUE}. Immutable.
 */
public final class Amount {
  public static final Amount ZERO = new Amount(new long[] {0});
  public static final Amount ONE = new Amount(new long[] {1});

  /**
   * What depends on data or on a shape that is not known; sums and products with it are unknown.
   */
  public static final Amount UNKNOWN = new Amount(new long[0]);

  /** No model raises its batch to a higher power; a product that would stops at the most. */
  private static final int MAX_DEGREE = 8;

  private static final Amount MAX = new Amount(new long[] {Long.MAX_VALUE});

  private final long[] coefficients;

  private Amount(long[] coefficients) {
    this.coefficients = coefficients;
  }

  /** The same at every batch; {@link #UNKNOWN} where it is below 0. */
  public static Amount of(long constant) {
    return constant < 0 ? UNKNOWN : constant == 0 ? ZERO : new Amount(new long[] {constant});
  }

  /** Proportional to the batch to the power of {@code degree}. */
  private static Amount power(long atDeclared, int degree) {
    if (atDeclared == 0) {
      return ZERO;
    }
    if (degree > MAX_DEGREE) {
      return MAX;
    }
    long[] coefficients = new long[degree + 1];
    coefficients[degree] = atDeclared;
    return new Amount(coefficients);
  }

  /** Extent of an axis; unknown where the shape or the extent is. */
  public static Amount extent(@Nullable Shape shape, int axis) {
    if (shape == null || shape.extent(axis) == Shape.UNKNOWN) {
      return UNKNOWN;
    }
    return power(shape.extent(axis), shape.scales(axis) ? 1 : 0);
  }

  /** Elements of a tensor; unknown where the shape or an extent is. */
  public static Amount elements(@Nullable Shape shape) {
    return shape == null ? UNKNOWN : elements(shape, 0, shape.rank());
  }

  /** Product of the extents of axes {@code from} to {@code to}, exclusive. */
  public static Amount elements(Shape shape, int from, int to) {
    long product = shape.product(from, to);
    if (product == Shape.UNKNOWN) {
      return UNKNOWN;
    }
    int degree = 0;
    for (int axis = from; axis < to; axis++) {
      degree += shape.scales(axis) ? 1 : 0;
    }
    return power(product, degree);
  }

  /** Whether it is 0 at every batch. */
  public boolean isZero() {
    return coefficients.length == 1 && coefficients[0] == 0;
  }

  public boolean isKnown() {
    return coefficients.length > 0;
  }

  public Amount plus(Amount other) {
    if (!isKnown() || !other.isKnown()) {
      return UNKNOWN;
    }
    if (isZero() || other.isZero()) {
      return isZero() ? other : this;
    }
    boolean longer = coefficients.length >= other.coefficients.length;
    long[] sum = (longer ? this : other).coefficients.clone();
    long[] added = (longer ? other : this).coefficients;
    for (int k = 0; k < added.length; k++) {
      sum[k] = Saturating.add(sum[k], added[k]);
    }
    return new Amount(sum);
  }

  /** What is left when a part that was added before is taken away. */
  public Amount minus(Amount part) {
    if (!isKnown() || !part.isKnown()) {
      return UNKNOWN;
    }
    if (part.isZero()) {
      return this;
    }
    long[] rest = coefficients.clone();
    for (int k = 0; k < Math.min(rest.length, part.coefficients.length); k++) {
      rest[k] = Math.max(0, rest[k] - part.coefficients[k]);
    }
    return new Amount(rest);
  }

  public Amount times(Amount other) {
    if (!isKnown() || !other.isKnown()) {
      return UNKNOWN;
    }
    if (isZero() || other.isZero()) {
      return ZERO;
    }
    int degree = coefficients.length + other.coefficients.length - 2;
    if (degree > MAX_DEGREE) {
      return MAX;
    }
    long[] product = new long[degree + 1];
    for (int i = 0; i < coefficients.length; i++) {
      for (int j = 0; j < other.coefficients.length; j++) {
        long term = Saturating.multiply(coefficients[i], other.coefficients[j]);
        product[i + j] = Saturating.add(product[i + j], term);
      }
    }
    return new Amount(product);
  }

  public Amount times(long factor) {
    return times(of(factor));
  }

  /** Bytes of this many elements; those of fewer than eight bits are packed. */
  public Amount inBytes(ElementType type) {
    long[] bytes = new long[coefficients.length];
    for (int k = 0; k < bytes.length; k++) {
      bytes[k] = type.bytes(coefficients[k]);
    }
    return isKnown() ? new Amount(bytes) : UNKNOWN;
  }

  /** The larger coefficient of each power: at no batch below either. */
  public Amount atLeast(Amount other) {
    if (!isKnown() || !other.isKnown()) {
      return UNKNOWN;
    }
    boolean longer = coefficients.length >= other.coefficients.length;
    long[] larger = (longer ? this : other).coefficients.clone();
    long[] rest = (longer ? other : this).coefficients;
    for (int k = 0; k < rest.length; k++) {
      larger[k] = Math.max(larger[k], rest[k]);
    }
    return new Amount(larger);
  }

  /** Whether it is at no batch below another. */
  public boolean covers(Amount other) {
    for (int k = 0; k < other.coefficients.length; k++) {
      if (other.coefficients[k] > (k < coefficients.length ? coefficients[k] : 0)) {
        return false;
      }
    }
    return isKnown();
  }

  /** Its value at a batch, rounded up; {@link Shape#UNKNOWN} when it is unknown. */
  public long at(BatchScale scale) {
    if (!isKnown()) {
      return Shape.UNKNOWN;
    }
    long sum = coefficients[0];
    for (int k = 1; k < coefficients.length; k++) {
      long term = coefficients[k];
      for (int i = 0; i < k; i++) {
        term = scale.apply(term);
      }
      sum = Saturating.add(sum, term);
    }
    return sum;
  }

  /** Its value at the declared batch; {@link Shape#UNKNOWN} when it is unknown. */
  public long atDeclared() {
    if (!isKnown()) {
      return Shape.UNKNOWN;
    }
    long sum = 0;
    for (long coefficient : coefficients) {
      sum = Saturating.add(sum, coefficient);
    }
    return sum;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Amount that && Arrays.equals(coefficients, that.coefficients);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(coefficients);
  }

  @Override
  public String toString() {
    return isKnown() ? Arrays.toString(coefficients) : "unknown";
  }
}
