package dev.cotenant.domain.quantity;

import java.util.Locale;

/**
 * GPU utilization: the share of time in which any kernel ran, as nvidia-smi and DCGM report it.
 *
 * <p>SM activity, occupancy and memory-bandwidth utilization are other quantities and have no place
 * in this type.
 *
 * @param percent 0 to 100
 */
public record Utilization(double percent) implements Comparable<Utilization> {
  public static final Utilization IDLE = new Utilization(0);
  public static final Utilization FULL = new Utilization(100);

  public Utilization {
    if (!(percent >= 0 && percent <= 100)) {
      throw new IllegalArgumentException("percent must be in [0, 100], is " + percent);
    }
  }

  public static Utilization ofPercent(double percent) {
    return new Utilization(percent);
  }

  /** Clips an estimate to the range of utilization; refuses NaN. */
  public static Utilization ofPercentClipped(double percent) {
    return new Utilization(Math.clamp(percent, 0, 100));
  }

  @Override
  public int compareTo(Utilization other) {
    return Double.compare(percent, other.percent);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.1f %%", percent);
  }
}
