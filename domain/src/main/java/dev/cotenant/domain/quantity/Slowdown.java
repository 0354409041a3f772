package dev.cotenant.domain.quantity;

import java.util.Locale;

/**
 * How much longer a colocated workload takes than alone: colocated time over solo time.
 *
 * @param ratio at least 1, finite; 1 is no slowdown
 */
public record Slowdown(double ratio) implements Comparable<Slowdown> {
  public static final Slowdown NONE = new Slowdown(1);

  public Slowdown {
    if (!(ratio >= 1 && ratio < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("ratio must be at least 1 and finite, is " + ratio);
    }
  }

  public static Slowdown ofRatio(double ratio) {
    return new Slowdown(ratio);
  }

  @Override
  public int compareTo(Slowdown other) {
    return Double.compare(ratio, other.ratio);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.2fx", ratio);
  }
}
