package dev.cotenant.features.operator;

import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/** Arithmetic on extents and counts of which any may not be known; then neither is the result. */
public final class Extents {
  private Extents() {}

  public static long times(long... factors) {
    return combined(1, Saturating::multiply, factors);
  }

  public static long plus(long... summands) {
    return combined(0, Saturating::add, summands);
  }

  private static long combined(long start, LongBinaryOperator operator, long... extents) {
    long result = start;
    for (long extent : extents) {
      if (extent < 0) {
        return Shape.UNKNOWN;
      }
      result = operator.applyAsLong(result, extent);
    }
    return result;
  }

  /** An extent divided into equal parts; a remainder or zero parts are a mismatch. */
  public static long over(long extent, long parts) {
    if (extent < 0 || parts < 0) {
      return Shape.UNKNOWN;
    }
    if (parts == 0 || extent % parts != 0) {
      throw new ShapeMismatch("an extent of " + extent + " in " + parts + " parts");
    }
    return extent / parts;
  }

  /** Concatenation of two axes; the first is optional. */
  public static Shape joined(@Nullable Shape before, Shape after) {
    return before == null
        ? after
        : new Shape.Builder(1)
            .add(plus(before.extent(0), after.extent(0)), before.scales(0) || after.scales(0))
            .build();
  }
}
