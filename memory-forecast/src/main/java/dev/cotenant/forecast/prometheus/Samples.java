package dev.cotenant.forecast.prometheus;

import java.util.Arrays;

/** Times and values of one series, in arrays that grow and are used again. */
final class Samples {
  private long[] milliseconds = new long[512];
  private double[] values = new double[512];
  private int size;

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

  int size() {
    return size;
  }

  long milliseconds(int i) {
    return milliseconds[i];
  }

  double value(int i) {
    return values[i];
  }
}
