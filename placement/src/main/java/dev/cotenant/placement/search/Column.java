package dev.cotenant.placement.search;

import java.util.Arrays;

/** A device's worth of services: kinds in ascending order and how many of each. */
final class Column {
  private final int[] kinds;
  private final int[] counts;

  private Column(int[] kinds, int[] counts) {
    this.kinds = kinds;
    this.counts = counts;
  }

  /** How many kinds there are in it. */
  int size() {
    return kinds.length;
  }

  int kind(int index) {
    return kinds[index];
  }

  int count(int index) {
    return counts[index];
  }

  /** Of the first {@code size} members. */
  static Column of(int[] members, int size) {
    int[] sorted = Arrays.copyOf(members, size);
    Arrays.sort(sorted);
    int distinct = 0;
    int[] kinds = new int[size];
    int[] counts = new int[size];
    for (int kind : sorted) {
      if (distinct == 0 || kinds[distinct - 1] != kind) {
        kinds[distinct++] = kind;
      }
      counts[distinct - 1]++;
    }
    return new Column(Arrays.copyOf(kinds, distinct), Arrays.copyOf(counts, distinct));
  }

  /** Every member. */
  int[] members() {
    int[] members = new int[Arrays.stream(counts).sum()];
    int size = 0;
    for (int i = 0; i < kinds.length; i++) {
      Arrays.fill(members, size, size + counts[i], kinds[i]);
      size += counts[i];
    }
    return members;
  }

  /** Σ of a price each. */
  double value(double[] prices) {
    double value = 0;
    for (int i = 0; i < kinds.length; i++) {
      value += prices[kinds[i]] * counts[i];
    }
    return value;
  }
}
