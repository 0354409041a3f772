package dev.cotenant.simulator.event;

import dev.cotenant.domain.quantity.Nanoseconds;
import java.time.Duration;
import java.util.SplittableRandom;

/** Seeded draws that give the same bits on every machine. */
public final class Draws {
  private final SplittableRandom random;

  public Draws(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Uniform in 0 to {@code count} - 1. */
  public int index(int count) {
    return random.nextInt(count);
  }

  /** Uniform in [from, to). */
  public double uniform(double from, double to) {
    return from + (to - from) * random.nextDouble();
  }

  /** Normal with mean 0 and deviation 1, by Box and Muller. */
  public double normal() {
    double radius = Math.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
    return radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
  }

  /** Exponential. */
  public double exponential(double mean) {
    return -mean * StrictMath.log(1 - random.nextDouble());
  }

  /** Log-normal; {@code deviation} is the standard deviation of the logarithm. */
  public double logNormal(double median, double deviation) {
    return median * StrictMath.exp(deviation * normal());
  }

  /** A duration of seconds, to the nearest nanosecond. */
  public static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * Nanoseconds.PER_SECOND));
  }
}
