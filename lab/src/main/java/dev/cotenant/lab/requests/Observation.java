package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.FleetPlan;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a monitor has seen up to now.
 *
 * @param now since the start
 * @param current the plan that serves
 * @param services by name
 */
public record Observation(Duration now, FleetPlan current, SortedMap<String, Seen> services) {
  public Observation {
    services = Collections.unmodifiableSortedMap(new TreeMap<>(services));
  }

  /**
   * One service.
   *
   * @param requestsPerSecond moving average of the rate; before the first interval the rate stated
   *     by the operator, which is the rate at the start
   * @param queued requests that wait
   * @param p99Millis of the requests of one inference that were served since the policy was called
   *     last, at most 1 % too high; 0 without any
   */
  public record Seen(double requestsPerSecond, int queued, double p99Millis) {}

  /** The moving averages by service. */
  public SortedMap<String, Double> rates() {
    SortedMap<String, Double> rates = new TreeMap<>();
    for (Map.Entry<String, Seen> each : services.entrySet()) {
      rates.put(each.getKey(), each.getValue().requestsPerSecond());
    }
    return rates;
  }
}
