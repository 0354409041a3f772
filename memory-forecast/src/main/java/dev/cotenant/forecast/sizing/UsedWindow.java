package dev.cotenant.forecast.sizing;

import dev.cotenant.learning.quantile.SortedSample;
import java.util.Arrays;

/**
 * The used memory of a window as numbers that are free of its scale, beside its peak.
 *
 * @param features see {@link #of}; read only
 * @param peak the most used, in bytes; positive
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere
public record UsedWindow(float[] features, double peak) {
  private static final int BLOCKS = 8;
  private static final double RISE = 1.02;
  private static final double ABOVE = 1.05;
  private static final double NEAR = 0.95;

  /**
   * Sizes are shares of the peak, two and the peak itself of capacity. Of the window, its newer
   * half and its newest quarter: quantiles, shares of samples that change, that rise, and that lie
   * above the median; the sorted maxima of eighths of the window; and when and how often it was
   * near the peak. Sparse work leaves low quantiles and few changes, and its next peak is likely to
   * be lower.
   *
   * @param bytes samples, the oldest first; at least one, the largest positive
   * @param capacity in bytes, positive
   */
  public static UsedWindow of(double[] bytes, double capacity) {
    double peak = Arrays.stream(bytes).max().orElseThrow();
    if (!(peak > 0) || !(capacity > 0)) {
      throw new IllegalArgumentException(
          "peak and capacity must be positive, are " + peak + " and " + capacity);
    }
    Numbers numbers = new Numbers();
    SortedSample all = new SortedSample(bytes);
    for (int part = 1; part <= 4; part *= 2) {
      part(bytes, bytes.length - Math.max(1, bytes.length / part), all.at(0.5), peak, numbers);
    }
    double last = bytes[bytes.length - 1];
    double[] blocks = blocks(bytes);
    numbers.add(last / peak, peak / capacity, sinceHigh(bytes, peak), highs(bytes, peak));
    numbers.add(blocks[BLOCKS - 1] / peak, blocks[BLOCKS - 2] / peak);
    Arrays.sort(blocks);
    Arrays.stream(blocks).forEach(block -> numbers.add(block / peak));
    numbers.add(all.at(0.5) / capacity, last / capacity, all.at(0.95) / capacity);
    return new UsedWindow(numbers.taken(), peak);
  }

  private static void part(double[] bytes, int from, double median, double peak, Numbers numbers) {
    SortedSample part = new SortedSample(bytes, from);
    for (double fraction : new double[] {1, 0.95, 0.8, 0.5, 0}) {
      numbers.add(part.at(fraction) / peak);
    }
    int changes = 0;
    int rises = 0;
    int above = bytes[from] > ABOVE * median ? 1 : 0;
    for (int i = from + 1; i < bytes.length; i++) {
      changes += bytes[i] == bytes[i - 1] ? 0 : 1;
      rises += bytes[i] > RISE * bytes[i - 1] ? 1 : 0;
      above += bytes[i] > ABOVE * median ? 1 : 0;
    }
    double length = bytes.length - from;
    numbers.add(changes / length, rises / length, above / length);
  }

  /** Maxima of eighths; of fewer samples some are repeated. */
  private static double[] blocks(double[] bytes) {
    double[] blocks = new double[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      int from = Math.min(bytes.length - 1, block * bytes.length / BLOCKS);
      int to = Math.max(from + 1, (block + 1) * bytes.length / BLOCKS);
      blocks[block] = Arrays.stream(bytes, from, to).max().orElseThrow();
    }
    return blocks;
  }

  /** Share of the window since a sample was within a hundredth of the peak. */
  private static double sinceHigh(double[] bytes, double peak) {
    int since = 0;
    for (int i = bytes.length - 1; bytes[i] < 0.99 * peak; i--) {
      since++;
    }
    return (double) since / bytes.length;
  }

  /** How often it rose to near the peak. */
  private static int highs(double[] bytes, double peak) {
    int highs = 0;
    for (int i = 1; i < bytes.length; i++) {
      highs += bytes[i] >= NEAR * peak && bytes[i - 1] < NEAR * peak ? 1 : 0;
    }
    return highs;
  }

  private static final class Numbers {
    private final float[] values = new float[64];
    private int size;

    void add(double... more) {
      for (double value : more) {
        values[size++] = (float) value;
      }
    }

    float[] taken() {
      return Arrays.copyOf(values, size);
    }
  }
}
