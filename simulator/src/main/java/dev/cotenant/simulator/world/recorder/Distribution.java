package dev.cotenant.simulator.world.recorder;

import java.util.ArrayList;
import java.util.List;

/**
 * How values are spread, in a histogram of equal steps of the logarithm: bounded memory, values to
 * 1.2 %. Values below 0.001 count as 0, those beyond 10⁹ as 10⁹.
 */
public final class Distribution {
  private static final int BINS_PER_DECADE = 200;
  private static final int DECADES = 12;
  private static final double MIN = 1e-3;

  private final long[] counts = new long[DECADES * BINS_PER_DECADE + 1];
  private long small;
  private long count;

  Distribution() {}

  /**
   * A point of the distribution function.
   *
   * @param value upper edge of a bin; 0 for the smallest values
   * @param share of values up to it, in (0, 1]
   */
  public record Point(double value, double share) {}

  void add(double value) {
    if (!(value >= 0)) {
      throw new IllegalArgumentException("value must be at least 0, is " + value);
    }
    count++;
    if (value < MIN) {
      small++;
      return;
    }
    int bin = (int) (Math.log10(value / MIN) * BINS_PER_DECADE);
    counts[Math.min(bin, counts.length - 1)]++;
  }

  /** The distribution function at all values that occur, ascending; empty without values. */
  public List<Point> points() {
    List<Point> points = new ArrayList<>();
    long below = small;
    if (small > 0) {
      points.add(new Point(0, (double) below / count));
    }
    for (int bin = 0; bin < counts.length; bin++) {
      if (counts[bin] > 0) {
        below += counts[bin];
        double edge = MIN * Math.pow(10, (bin + 1.0) / BINS_PER_DECADE);
        points.add(new Point(edge, (double) below / count));
      }
    }
    return points;
  }
}
