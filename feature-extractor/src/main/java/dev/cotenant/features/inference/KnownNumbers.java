package dev.cotenant.features.inference;

import java.util.List;

/**
 * The elements of a small tensor that is known before the model runs, and which of them grow with
 * the batch. Integers beyond 2^53 lose digits; no extent is that large. Immutable.
 */
public final class KnownNumbers {
  /** Above this many elements values are not followed. */
  public static final int MAX_ELEMENTS = 1024;

  private final double[] numbers;
  private final boolean[] scales;

  private KnownNumbers(double[] numbers, boolean[] scales) {
    this.numbers = numbers;
    this.scales = scales;
  }

  public static KnownNumbers of(double[] numbers, boolean[] scales) {
    return new KnownNumbers(numbers.clone(), scales.clone());
  }

  public static KnownNumbers of(double... numbers) {
    return new KnownNumbers(numbers.clone(), new boolean[numbers.length]);
  }

  /** The elements with those indices, in that order. */
  public KnownNumbers pick(int[] indices) {
    double[] picked = new double[indices.length];
    boolean[] marks = new boolean[indices.length];
    for (int i = 0; i < indices.length; i++) {
      picked[i] = at(indices[i]);
      marks[i] = scales[indices[i]];
    }
    return new KnownNumbers(picked, marks);
  }

  /** Concatenation of all parts. */
  public static KnownNumbers join(List<KnownNumbers> parts) {
    int total = parts.stream().mapToInt(KnownNumbers::size).sum();
    double[] joined = new double[total];
    boolean[] marks = new boolean[total];
    int next = 0;
    for (KnownNumbers part : parts) {
      System.arraycopy(part.numbers, 0, joined, next, part.size());
      System.arraycopy(part.scales, 0, marks, next, part.size());
      next += part.size();
    }
    return new KnownNumbers(joined, marks);
  }

  public int size() {
    return numbers.length;
  }

  public double at(int index) {
    if (index < 0 || index >= numbers.length) {
      throw new ShapeMismatch("element " + index + " of " + numbers.length);
    }
    return numbers[index];
  }

  public long integer(int index) {
    return (long) at(index);
  }

  public boolean scales(int index) {
    at(index);
    return scales[index];
  }

  public boolean anyScales() {
    for (boolean each : scales) {
      if (each) {
        return true;
      }
    }
    return false;
  }

  public long[] integers() {
    long[] integers = new long[numbers.length];
    for (int i = 0; i < integers.length; i++) {
      integers[i] = (long) numbers[i];
    }
    return integers;
  }
}
