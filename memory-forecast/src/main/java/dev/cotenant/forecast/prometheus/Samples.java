package dev.cotenant.forecast.prometheus;

import java.util.Arrays;

/** Times and values of one series, in arrays that grow and are used again. */
public final class Samples {
  private long[] milliseconds = new long[512];
  private double[] values = new double[512];
  private int size;

  Samples() {}

  void clear() {
    size = 0;
  }

  void add(long at, double value) {
    if (size == values.length) {
      milliseconds = Arrays.copyOf(milliseconds, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
    }
    milliseconds[size] = at;
    values[size++] = value;
  }

  /** Copy that outlives the buffer's reuse for the next series. */
  Samples copy() {
    Samples copy = new Samples();
    copy.milliseconds = Arrays.copyOf(milliseconds, size);
    copy.values = Arrays.copyOf(values, size);
    copy.size = size;
    return copy;
  }

  /** How many. */
  public int size() {
    return size;
  }

  /** Time of a sample since 1970. */
  public long milliseconds(int i) {
    return milliseconds[i];
  }

  /** Value of a sample; may be NaN or infinite. */
  public double value(int i) {
    return values[i];
  }
}
