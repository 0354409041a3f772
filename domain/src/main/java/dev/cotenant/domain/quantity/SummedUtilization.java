package dev.cotenant.domain.quantity;

import java.util.Locale;

/**
 * The solo utilizations of several workloads added up; beyond 100 % the device is oversubscribed.
 *
 * <p>It is what the slowdown of colocated training jobs grows with [UtilPred, section 6].
 *
 * @param percent at least 0, finite
 */
public record SummedUtilization(double percent) implements Comparable<SummedUtilization> {
  public static final SummedUtilization ZERO = new SummedUtilization(0);

  public SummedUtilization {
    if (!(percent >= 0 && percent < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("percent must be at least 0 and finite, is " + percent);
    }
  }

  public static SummedUtilization ofPercent(double percent) {
    return new SummedUtilization(percent);
  }

  public SummedUtilization plus(Utilization utilization) {
    return new SummedUtilization(percent + utilization.percent());
  }

  @Override
  public int compareTo(SummedUtilization other) {
    return Double.compare(percent, other.percent);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.1f %%", percent);
  }
}
