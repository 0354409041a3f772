package dev.cotenant.learning.trees;

import java.util.Arrays;

/**
 * Feature values by bin, so that a split is found by adding up at most {@value #MAX_BINS} sums a
 * feature instead of sorting rows.
 *
 * <p>A feature of few distinct values has a bin for each; others have bins of about as many rows.
 */
final class Bins {
  static final int MAX_BINS = 255;

  private final byte[][] codes;
  private final float[][] uppers;

  private Bins(byte[][] codes, float[][] uppers) {
    this.codes = codes;
    this.uppers = uppers;
  }

  /** Bins of the columns of at least one row. */
  static Bins of(float[][] rows) {
    int features = rows[0].length;
    byte[][] codes = new byte[features][rows.length];
    float[][] uppers = new float[features][];
    for (int feature = 0; feature < features; feature++) {
      float[] column = new float[rows.length];
      for (int row = 0; row < rows.length; row++) {
        column[row] = rows[row][feature];
      }
      uppers[feature] = uppers(column.clone());
      for (int row = 0; row < rows.length; row++) {
        codes[feature][row] = (byte) bin(uppers[feature], column[row]);
      }
    }
    return new Bins(codes, uppers);
  }

  /** The largest value of each bin but the last, each midway between two that occur. */
  private static float[] uppers(float[] sorted) {
    Arrays.sort(sorted);
    float[] cuts = new float[MAX_BINS - 1];
    int count = 0;
    int distinct = 1;
    for (int i = 1; i < sorted.length; i++) {
      distinct += sorted[i] > sorted[i - 1] ? 1 : 0;
    }
    double rowsEach = distinct <= MAX_BINS ? 0 : (double) sorted.length / MAX_BINS;
    double next = rowsEach;
    for (int i = 1; i < sorted.length && count < cuts.length; i++) {
      if (sorted[i] > sorted[i - 1] && i >= next) {
        cuts[count++] = between(sorted[i - 1], sorted[i]);
        next = Math.max(next + rowsEach, i + rowsEach / 2);
      }
    }
    return Arrays.copyOf(cuts, count);
  }

  private static float between(float low, float high) {
    float middle = low / 2 + high / 2;
    return middle < high && middle >= low ? middle : low;
  }

  private static int bin(float[] uppers, float value) {
    int at = Arrays.binarySearch(uppers, value);
    return at >= 0 ? at : -at - 1;
  }

  int features() {
    return codes.length;
  }

  int rows() {
    return codes[0].length;
  }

  /** Number of bins of a feature. */
  int count(int feature) {
    return uppers[feature].length + 1;
  }

  int bin(int feature, int row) {
    return codes[feature][row] & 0xff;
  }

  /** By row and feature the number of the bin. */
  float[][] numbers() {
    float[][] numbers = new float[rows()][features()];
    for (int feature = 0; feature < codes.length; feature++) {
      for (int row = 0; row < numbers.length; row++) {
        numbers[row][feature] = bin(feature, row);
      }
    }
    return numbers;
  }

  byte[] column(int feature) {
    return codes[feature];
  }

  /** The largest value that is in this bin or before. */
  float threshold(int feature, int bin) {
    return uppers[feature][bin];
  }
}
