package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.Arrivals;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * A simulated server and its run.
 *
 * @param gpus how many GPUs of each kind there are
 * @param durations how long batches take
 * @param batching when a batch starts
 * @param control how rates are observed and partitions changed
 * @param traffic how long requests come, and how
 */
public record ServingSettings(
    Map<String, Integer> gpus,
    BatchDurations durations,
    Batching batching,
    Control control,
    Traffic traffic) {
  public ServingSettings {
    gpus = Map.copyOf(new TreeMap<>(gpus));
  }

  /**
   * When a batch starts and what becomes of requests that cannot be in time.
   *
   * @param waitShare the part of its objective that a request waits at most for its batch to fill;
   *     with 0 a free partition takes what waits
   * @param late what happens to a request that cannot be in time when its batch starts
   */
  public record Batching(double waitShare, Late late) {
    /** A free partition takes what waits; requests that cannot be in time are dropped. */
    public static final Batching WHAT_WAITS = new Batching(0, Late.DROPPED);

    public Batching {
      if (!(waitShare >= 0 && waitShare <= 1)) {
        throw new IllegalArgumentException("waitShare must be 0 to 1, is " + waitShare);
      }
    }
  }

  /** What happens to a request that by the times of its service alone cannot be in time. */
  public enum Late {
    SERVED,
    DROPPED
  }

  /**
   * How rates are observed and partitions changed.
   *
   * @param interval over which requests are counted for one observation
   * @param weight of the last interval in the moving average, above 0 to 1
   * @param period between two calls of the policy, a whole number of intervals: the policy sees the
   *     interval that ends at its call
   * @param shortest time in which new partitions are made ready; the old ones serve meanwhile
   * @param longest the same; draws are uniform between the two
   */
  public record Control(
      Duration interval, double weight, Duration period, Duration shortest, Duration longest) {
    public Control {
      if (!interval.isPositive() || !period.isPositive() || shortest.isNegative()) {
        throw new IllegalArgumentException("interval and period must be above 0, times not below");
      }
      if (period.toNanos() % interval.toNanos() != 0) {
        throw new IllegalArgumentException(
            "period must be a whole number of intervals, not " + period + " of " + interval);
      }
      if (shortest.compareTo(longest) > 0 || !(weight > 0 && weight <= 1)) {
        throw new IllegalArgumentException(
            "shortest must be at most longest, and weight above 0 to 1, not " + weight);
      }
    }
  }

  /**
   * Requests.
   *
   * @param arrivals how they come
   * @param duration how long
   * @param seed of all draws
   */
  public record Traffic(Arrivals arrivals, Duration duration, long seed) {
    public Traffic {
      if (!duration.isPositive()) {
        throw new IllegalArgumentException("duration must be above 0, is " + duration);
      }
    }
  }
}
