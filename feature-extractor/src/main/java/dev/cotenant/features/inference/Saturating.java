package dev.cotenant.features.inference;

/** Arithmetic on counts of at least 0 that stops at {@link Long#MAX_VALUE}. */
public final class Saturating {
  private Saturating() {}

  public static long multiply(long left, long right) {
    return right != 0 && left > Long.MAX_VALUE / right ? Long.MAX_VALUE : left * right;
  }

  public static long add(long left, long right) {
    long sum = left + right;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }
}
