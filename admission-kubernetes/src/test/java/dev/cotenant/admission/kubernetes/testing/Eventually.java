package dev.cotenant.admission.kubernetes.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do, for as long as a slow machine needs. */
public final class Eventually {
  private static final Duration AT_MOST = Duration.ofMinutes(2);

  private Eventually() {}

  /**
   * Returns as soon as it holds.
   *
   * @throws AssertionError when it does not within two minutes
   */
  public static void holds(String what, BooleanSupplier condition) {
    holds(what, AT_MOST, condition);
  }

  /**
   * Returns as soon as it holds.
   *
   * @throws AssertionError when it does not within that time
   */
  public static void holds(String what, Duration atMost, BooleanSupplier condition) {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + atMost.toSeconds() + " s: " + what);
      }
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for: " + what, e);
      }
    }
  }
}
