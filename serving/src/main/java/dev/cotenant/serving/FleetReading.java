package dev.cotenant.serving;

import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Measurements of a fleet in the last period.
 *
 * @param services by name; one that is not there was not measured
 */
public record FleetReading(SortedMap<String, Measured> services) {
  public FleetReading {
    services = Collections.unmodifiableSortedMap(new TreeMap<>(services));
  }

  /** Rates alone. */
  public static FleetReading ofRates(SortedMap<String, Double> requestsPerSecond) {
    SortedMap<String, Measured> services = new TreeMap<>();
    requestsPerSecond.forEach((service, rate) ->
        services.put(service, new Rate(rate, OptionalDouble.empty(), OptionalDouble.empty())));
    return new FleetReading(services);
  }

  /** Of one service: a rate, or why there is none. */
  public sealed interface Measured {}

  /**
   * A rate.
   *
   * @param requestsPerSecond as the source gives it; judged by the controller
   * @param meanMillis of requests in the interval, where known
   * @param p99Millis of requests in the interval, where known
   */
  public record Rate(double requestsPerSecond, OptionalDouble meanMillis, OptionalDouble p99Millis)
      implements Measured {}

  /** There is no rate. */
  public sealed interface Missing extends Measured {
    /** One clause for people. */
    String clause();
  }

  /** The source does not have the series. */
  public record Absent() implements Missing {
    @Override
    public String clause() {
      return "its rate is absent";
    }
  }

  /**
   * The last sample is too old.
   *
   * @param age of it
   * @param most that is accepted
   */
  public record Stale(Duration age, Duration most) implements Missing {
    @Override
    public String clause() {
      return String.format(
          Locale.ROOT,
          "its last rate is %d s old, %d s at most are accepted",
          age.toSeconds(),
          most.toSeconds());
    }
  }

  /**
   * The rate is no number that a rate can be.
   *
   * @param value as read
   */
  public record NotANumber(double value) implements Missing {
    @Override
    public String clause() {
      return "its rate is " + value;
    }
  }

  /**
   * The rate is far beyond everything seen.
   *
   * @param value requests per second
   * @param most that is accepted at once
   */
  public record Absurd(double value, double most) implements Missing {
    @Override
    public String clause() {
      return String.format(
          Locale.ROOT,
          "its rate jumped to %.1f requests a second, at most %.1f are accepted before it lasts",
          value,
          most);
    }
  }

  /**
   * The source does not answer.
   *
   * @param cause in its own words
   */
  public record Unreachable(String cause) implements Missing {
    @Override
    public String clause() {
      return cause;
    }
  }
}
