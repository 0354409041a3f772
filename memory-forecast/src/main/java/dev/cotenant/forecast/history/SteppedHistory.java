package dev.cotenant.forecast.history;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.Nanoseconds;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * The newest part of a series as values at even steps, so that a horizon is always {@link #STEPS}
 * steps away, whatever the scrape interval.
 *
 * <p>A step is a tenth of the horizon, or the sampling interval where that is longer. The value of
 * a step is its maximum used memory, so that repeated scrapes of one collected sample collapse.
 * Steps without a sample are left out.
 */
public final class SteppedHistory {
  /** Steps of a horizon. */
  public static final int STEPS = 10;

  /** The most steps that are remembered, six hours of minutes. */
  public static final int MAX_STEPS = 360;

  /** The newest steps, whose maximum a bound is never below. */
  public static final int RECENT = 5;

  /** Intervals whose median is the sampling interval. */
  private static final int INTERVALS = 31;

  /** A longer step between two samples is a gap. */
  private static final double MAX_STEP_RATIO = 1.5;

  private final double[] bytes;
  private final double stepSeconds;
  private final int gaps;

  private SteppedHistory(double[] bytes, double stepSeconds, int gaps) {
    this.bytes = bytes;
    this.stepSeconds = stepSeconds;
    this.gaps = gaps;
  }

  /** The history behind the newest sample; the series must have one. */
  public static SteppedHistory of(MemorySeries series, Duration horizon) {
    List<MemorySample> samples = series.samples();
    Instant newest = samples.getLast().at();
    double interval = samplingIntervalSeconds(samples);
    double step = Math.max(seconds(horizon) / STEPS, interval);
    double[] values = new double[Math.min(MAX_STEPS, samples.size())];
    int used = 0;
    int gaps = 0;
    double latestAge = 0;
    long latestStep = -1;
    for (int i = samples.size() - 1; i >= 0; i--) {
      double age = seconds(Duration.between(samples.get(i).at(), newest));
      long number = Math.round(age / step);
      if (number != latestStep && used == values.length) {
        break;
      }
      gaps += age - latestAge > MAX_STEP_RATIO * step ? 1 : 0;
      double value = samples.get(i).used().bytes();
      if (number == latestStep) {
        values[used - 1] = Math.max(values[used - 1], value);
      } else {
        values[used++] = value;
        latestStep = number;
      }
      latestAge = age;
    }
    return new SteppedHistory(reversed(values, used), step, gaps);
  }

  /** The same with only the newest steps. */
  public SteppedHistory newest(int steps) {
    int from = Math.max(0, bytes.length - steps);
    return new SteppedHistory(Arrays.copyOfRange(bytes, from, bytes.length), stepSeconds, gaps);
  }

  private static double samplingIntervalSeconds(List<MemorySample> samples) {
    int intervals = Math.min(INTERVALS, samples.size() - 1);
    if (intervals == 0) {
      return 0;
    }
    double[] lengths = new double[intervals];
    for (int i = 0; i < intervals; i++) {
      int at = samples.size() - 1 - i;
      lengths[i] = seconds(Duration.between(samples.get(at - 1).at(), samples.get(at).at()));
    }
    Arrays.sort(lengths);
    return lengths[intervals / 2];
  }

  private static double[] reversed(double[] newestFirst, int length) {
    double[] oldestFirst = new double[length];
    for (int i = 0; i < length; i++) {
      oldestFirst[length - 1 - i] = newestFirst[i];
    }
    return oldestFirst;
  }

  private static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNano() / Nanoseconds.PER_SECOND;
  }

  /** Used bytes, oldest first; at least one. Callers must not modify the array. */
  double[] values() {
    return bytes;
  }

  /** How many steps are remembered. */
  public int length() {
    return bytes.length;
  }

  /** The newest value. */
  public double last() {
    return bytes[bytes.length - 1];
  }

  /** The most in the newest {@code steps} steps. */
  public double maximum(int steps) {
    double most = 0;
    for (int i = Math.max(0, bytes.length - steps); i < bytes.length; i++) {
      most = Math.max(most, bytes[i]);
    }
    return most;
  }

  /** Steps since the newest value below {@code bytes}; {@link #MAX_STEPS} where there is none. */
  public int stepsSinceBelow(double limit) {
    for (int i = bytes.length - 1; i >= 0; i--) {
      if (bytes[i] < limit) {
        return bytes.length - 1 - i;
      }
    }
    return MAX_STEPS;
  }

  /** The value {@code steps} before the newest. */
  public double before(int steps) {
    return bytes[bytes.length - 1 - steps];
  }

  /** Seconds of a step; 0 only for a single sample and no horizon. */
  public double stepSeconds() {
    return stepSeconds;
  }

  /** Steps between samples that were too long, among those remembered. */
  public int gaps() {
    return gaps;
  }
}
