package dev.cotenant.domain.quantity;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * An amount of memory, exact to the byte and never negative.
 *
 * <p>KiB, MiB and GiB are powers of 1024. Arithmetic that would overflow or go below zero throws
 * {@link ArithmeticException}; {@link #minusOrZero} is the subtraction that stops at zero.
 *
 * @param bytes bytes, at least 0
 */
public record MemorySize(long bytes) implements Comparable<MemorySize> {
  private static final long KIB = 1L << 10;

  /** Decimal places of the text. */
  private static final int DIGITS = 2;

  /** Bytes of a MiB. */
  public static final long MIB = 1L << 20;

  /** Bytes of a GiB. */
  public static final long GIB = 1L << 30;

  /** No memory at all. */
  public static final MemorySize ZERO = new MemorySize(0);

  public MemorySize {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes must be at least 0, is " + bytes);
    }
  }

  public static MemorySize ofBytes(long bytes) {
    return new MemorySize(bytes);
  }

  public static MemorySize ofKiB(long kibibytes) {
    return new MemorySize(Math.multiplyExact(kibibytes, KIB));
  }

  public static MemorySize ofMiB(long mebibytes) {
    return new MemorySize(Math.multiplyExact(mebibytes, MIB));
  }

  public static MemorySize ofGiB(long gibibytes) {
    return new MemorySize(Math.multiplyExact(gibibytes, GIB));
  }

  /**
   * Rounds a computed number of bytes up to a whole one.
   *
   * @throws IllegalArgumentException when it is negative, not finite or beyond {@code long}
   */
  public static MemorySize ofBytesRoundedUp(double bytes) {
    if (!(bytes >= 0 && bytes < 0x1p63)) {
      throw new IllegalArgumentException("bytes must be in [0, 2^63), is " + bytes);
    }
    return new MemorySize((long) Math.ceil(bytes));
  }

  public MemorySize plus(MemorySize other) {
    return new MemorySize(Math.addExact(bytes, other.bytes));
  }

  /** This minus {@code other}, or zero where {@code other} is larger. */
  public MemorySize minusOrZero(MemorySize other) {
    return new MemorySize(Math.max(0, bytes - other.bytes));
  }

  /** This times a finite factor of at least 0, rounded up. */
  public MemorySize times(double factor) {
    return ofBytesRoundedUp(bytes * factor);
  }

  public boolean isAtMost(MemorySize other) {
    return bytes <= other.bytes;
  }

  public MemorySize max(MemorySize other) {
    return bytes >= other.bytes ? this : other;
  }

  public MemorySize min(MemorySize other) {
    return bytes <= other.bytes ? this : other;
  }

  public double toMiB() {
    return (double) bytes / MIB;
  }

  public double toGiB() {
    return (double) bytes / GIB;
  }

  @Override
  public int compareTo(MemorySize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** For people: {@code 512 B}, {@code 1.5 KiB}, {@code 7.25 GiB}. */
  @Override
  public String toString() {
    if (bytes < KIB) {
      return bytes + " B";
    }
    if (bytes < MIB) {
      return format((double) bytes / KIB, "KiB");
    }
    return bytes < GIB ? format(toMiB(), "MiB") : format(toGiB(), "GiB");
  }

  private static String format(double amount, String unit) {
    return BigDecimal.valueOf(amount)
            .setScale(DIGITS, RoundingMode.HALF_UP)
            .stripTrailingZeros()
            .toPlainString()
        + " "
        + unit;
  }
}
