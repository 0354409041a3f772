package dev.cotenant.forecast.train;

import java.util.Arrays;

/**
 * Features as numbers of bins, at most 256 a feature, so that the best split of many rows is found
 * by adding up instead of sorting.
 */
final class BinnedTable {
  private static final int MOST_BINS = 255;

  private final byte[][] bins;
  private final float[][] limits;
  private final int rows;

  private BinnedTable(byte[][] bins, float[][] limits, int rows) {
    this.bins = bins;
    this.limits = limits;
    this.rows = rows;
  }

  /** Cuts each feature where about equally many of the rows fall between two cuts. */
  static BinnedTable of(float[][] rows, int features) {
    byte[][] bins = new byte[features][rows.length];
    float[][] limits = new float[features][];
    float[] column = new float[rows.length];
    for (int f = 0; f < features; f++) {
      for (int i = 0; i < rows.length; i++) {
        column[i] = rows[i][f];
      }
      limits[f] = limits(column.clone());
      for (int i = 0; i < rows.length; i++) {
        bins[f][i] = (byte) bin(limits[f], column[i]);
      }
    }
    return new BinnedTable(bins, limits, rows.length);
  }

  /** Upper limits of all bins but the last, ascending and distinct. */
  private static float[] limits(float[] column) {
    Arrays.sort(column);
    float[] cuts = new float[MOST_BINS];
    int count = 0;
    for (int b = 1; b <= MOST_BINS; b++) {
      float cut = column[(int) ((long) b * (column.length - 1) / (MOST_BINS + 1))];
      if (count == 0 || cut > cuts[count - 1]) {
        cuts[count++] = cut;
      }
    }
    return Arrays.copyOf(cuts, count);
  }

  private static int bin(float[] limits, float value) {
    int at = Arrays.binarySearch(limits, value);
    return at >= 0 ? at : -at - 1;
  }

  int rows() {
    return rows;
  }

  int features() {
    return bins.length;
  }

  /** The bin of each row, to be read as unsigned. */
  byte[] column(int feature) {
    return bins[feature];
  }

  /** The largest value that lies in {@code bin} or below. */
  float limit(int feature, int bin) {
    return limits[feature][bin];
  }
}
