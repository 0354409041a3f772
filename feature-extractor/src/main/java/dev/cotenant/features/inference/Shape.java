package dev.cotenant.features.inference;

import dev.cotenant.features.graph.ElementType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Extents of a tensor at the declared batch, and which of them grow with the batch.
 *
 * <p>A static graph exported at batch 1 says nothing of other batches, not even in its {@code
 * Reshape} constants. So all extents are derived once at the declared batch, with a mark on axes
 * that are the batch, or a multiple of it. {@link BatchScale} then gives the extent at any batch.
 * Immutable.
 */
public final class Shape {
  /** An extent that cannot be known before the model runs. */
  public static final long UNKNOWN = -1;

  public static final Shape SCALAR = new Shape(new long[0], 0);

  private static final int MAX_RANK = 64;
  private final long[] extents;
  private final long scaling;

  /** What {@link #bytes} said last; many tensors share a shape. */
  private @Nullable Bytes known;

  private record Bytes(ElementType type, Amount amount) {}

  private Shape(long[] extents, long scaling) {
    if (extents.length > MAX_RANK) {
      throw new ShapeMismatch("more than " + MAX_RANK + " axes");
    }
    for (long extent : extents) {
      if (extent < UNKNOWN) {
        throw new ShapeMismatch("an extent of " + extent);
      }
    }
    this.extents = extents;
    this.scaling = scaling;
  }

  /** Fixed extents. */
  public static Shape of(long... extents) {
    return new Shape(extents.clone(), 0);
  }

  /**
   * Extents, axis {@code i} growing with the batch where bit {@code i} of {@code scaling} is set.
   */
  public static Shape of(long[] extents, long scaling) {
    return new Shape(extents.clone(), scaling);
  }

  public int rank() {
    return extents.length;
  }

  /** Extent of an axis, {@link #UNKNOWN} included. */
  public long extent(int axis) {
    return extents[axis(axis)];
  }

  /** Whether an axis grows with the batch. */
  public boolean scales(int axis) {
    return (scaling >>> axis(axis) & 1) != 0;
  }

  /** Index of an axis that may count from the end. */
  public int axis(long axis) {
    long index = axis < 0 ? axis + extents.length : axis;
    if (index < 0 || index >= extents.length) {
      throw new ShapeMismatch("axis " + axis + " of " + extents.length);
    }
    return (int) index;
  }

  public long[] extents() {
    return extents.clone();
  }

  /** Bit {@code i} is set where axis {@code i} grows with the batch. */
  public long scaling() {
    return scaling;
  }

  public boolean isKnown() {
    for (long extent : extents) {
      if (extent == UNKNOWN) {
        return false;
      }
    }
    return true;
  }

  /** Elements at the declared batch; {@link #UNKNOWN} when an extent is. */
  public long elements() {
    return product(0, rank());
  }

  /** Bytes of a tensor of this shape; unknown when an extent is. */
  public Amount bytes(ElementType type) {
    Bytes last = known;
    if (last == null || last.type != type) {
      last = new Bytes(type, Amount.elements(this).inBytes(type));
      known = last;
    }
    return last.amount;
  }

  /**
   * Product of the extents of axes {@code from} to {@code to}, exclusive; {@link #UNKNOWN} if any
   * is unknown.
   *
   * @throws ShapeMismatch when there are fewer axes
   */
  public long product(int from, int to) {
    if (from < 0 || to > extents.length) {
      throw new ShapeMismatch("axes " + from + " to " + to + " of " + this);
    }
    long product = 1;
    for (int i = from; i < to; i++) {
      if (extents[i] == UNKNOWN) {
        return UNKNOWN;
      }
      product = Saturating.multiply(product, extents[i]);
    }
    return product;
  }

  /** Axes {@code from} to {@code to}, exclusive. */
  public Shape slice(int from, int to) {
    return new Builder(to - from).addAll(this, from, to).build();
  }

  /** One axis, which may count from the end. */
  public Shape only(long axis) {
    int index = axis(axis);
    return slice(index, index + 1);
  }

  /** Concatenation of the axes of both shapes. */
  public Shape append(Shape other) {
    int added = other.rank();
    return new Builder(rank() + added).addAll(this, 0, rank()).addAll(other, 0, added).build();
  }

  /** These axes and fixed ones after them. */
  public Shape append(long... added) {
    return append(of(added));
  }

  /** With new axes in front of an axis, which may count from the end of the result. */
  public Shape insert(long axis, Shape added) {
    long index = axis < 0 ? axis + rank() + 1 : axis;
    if (index < 0 || index > rank()) {
      throw new ShapeMismatch("new axis " + axis + " of " + this);
    }
    return slice(0, (int) index).append(added).append(slice((int) index, rank()));
  }

  /** Without one axis. */
  public Shape without(int axis) {
    return slice(0, axis).append(slice(axis + 1, rank()));
  }

  /** The same shape with one axis changed. */
  public Shape with(int axis, long extent, boolean scales) {
    int index = axis(axis);
    long[] changed = extents.clone();
    changed[index] = extent;
    long bit = 1L << index;
    return new Shape(changed, scales ? scaling | bit : scaling & ~bit);
  }

  /** The shape of an elementwise operation on both [ONNX, Broadcasting]. */
  public static Shape broadcast(Shape left, Shape right) {
    int rank = Math.max(left.rank(), right.rank());
    Builder result = new Builder(rank);
    for (int i = 0; i < rank; i++) {
      int l = i - rank + left.rank();
      int r = i - rank + right.rank();
      long a = l < 0 ? 1 : left.extents[l];
      long b = r < 0 ? 1 : right.extents[r];
      if (a != b && a > 1 && b > 1) {
        throw new ShapeMismatch(left + " and " + right + " do not broadcast");
      }
      result.add(
          a == 1 ? b : b == 1 || b == UNKNOWN ? a : b,
          (l >= 0 && left.scales(l)) || (r >= 0 && right.scales(r)));
    }
    return result.build();
  }

  /** Both when known, null otherwise. */
  public static @Nullable Shape broadcastNullable(@Nullable Shape left, @Nullable Shape right) {
    return left == null || right == null ? null : broadcast(left, right);
  }

  /**
   * The extents that both have, growing with the batch where either does; null where the ranks
   * differ.
   */
  public static @Nullable Shape join(Shape left, Shape right) {
    if (left.rank() != right.rank()) {
      return null;
    }
    Builder result = new Builder(left.rank());
    for (int i = 0; i < left.rank(); i++) {
      boolean same = left.extents[i] == right.extents[i];
      result.add(same ? left.extents[i] : UNKNOWN, same && (left.scales(i) || right.scales(i)));
    }
    return result.build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Shape that
        && Arrays.equals(extents, that.extents)
        && scaling == that.scaling;
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(extents) * 31 + Long.hashCode(scaling);
  }

  @Override
  public String toString() {
    return Arrays.toString(extents);
  }

  /** Puts a shape together axis by axis. Not thread safe. */
  public static final class Builder {
    private long[] extents;
    private int rank;
    private long scaling;

    public Builder(int expectedRank) {
      extents = new long[Math.max(4, expectedRank)];
    }

    public Builder add(long extent, boolean scales) {
      if (rank == MAX_RANK) {
        throw new ShapeMismatch("more than " + MAX_RANK + " axes");
      }
      if (rank == extents.length) {
        extents = Arrays.copyOf(extents, rank * 2);
      }
      extents[rank] = extent;
      scaling |= scales ? 1L << rank : 0;
      rank++;
      return this;
    }

    /** Adds axes {@code from} to {@code to}, exclusive, of another shape. */
    public Builder addAll(Shape other, int from, int to) {
      for (int i = from; i < to; i++) {
        add(other.extent(i), other.scales(i));
      }
      return this;
    }

    public Shape build() {
      return new Shape(Arrays.copyOf(extents, rank), scaling);
    }
  }
}
