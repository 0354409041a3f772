package dev.cotenant.engine.fleet;

import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.MetricsReading.Cause;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.serving.FleetReading;
import dev.cotenant.serving.FleetReading.Absent;
import dev.cotenant.serving.FleetReading.Measured;
import dev.cotenant.serving.FleetReading.Rate;
import dev.cotenant.serving.FleetReading.Stale;
import dev.cotenant.serving.FleetReading.Unreachable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Rates and latencies of workloads from a server that speaks the Prometheus HTTP API. */
final class FleetMetrics implements FleetSource {
  private static final double MILLIS = 1_000;

  private final PrometheusHistory server;
  private final Duration mostAge;

  /**
   * Opens no connection yet.
   *
   * @param mostAge maximum age of accepted samples
   */
  FleetMetrics(PrometheusSettings settings, Duration mostAge) {
    server = new PrometheusHistory(settings);
    this.mostAge = mostAge;
  }

  /**
   * One request for each workload; where the server does not answer one, the others are not asked.
   */
  @Override
  public FleetReading read(List<WorkloadQueries> workloads, Instant at) {
    SortedMap<String, Measured> services = new TreeMap<>();
    Optional<String> silent = Optional.empty();
    for (WorkloadQueries each : workloads) {
      if (silent.isPresent()) {
        services.put(each.workload(), new Unreachable(silent.get()));
        continue;
      }
      Map<String, Double> values = new HashMap<>();
      Optional<MetricsReading.Failed> failed =
          server.read(
              each.query(),
              at,
              Set.of(WorkloadQueries.QUANTITY),
              (labels, samples) -> {
                if (samples.size() > 0) {
                  values.put(
                      labels.getOrDefault(WorkloadQueries.QUANTITY, ""),
                      samples.value(samples.size() - 1));
                }
              });
      services.put(
          each.workload(),
          failed
              .<Measured>map(problem -> new Unreachable(problem.message()))
              .orElseGet(() -> measured(values)));
      silent =
          failed
              .filter(problem -> problem.cause() != Cause.REFUSED)
              .map(MetricsReading.Failed::message);
    }
    return new FleetReading(services);
  }

  private Measured measured(Map<String, Double> values) {
    Double age = values.get(WorkloadQueries.AGE);
    if (age != null && age > mostAge.toSeconds()) {
      return new Stale(Duration.ofMillis(Math.round(age * MILLIS)), mostAge);
    }
    Double rate = values.get(WorkloadQueries.RATE);
    return rate == null
        ? new Absent()
        : new Rate(
            rate, latency(values, WorkloadQueries.MEAN), latency(values, WorkloadQueries.P99));
  }

  private static OptionalDouble latency(Map<String, Double> values, String quantity) {
    Double millis = values.get(quantity);
    return millis != null && millis >= 0 && millis < Double.POSITIVE_INFINITY
        ? OptionalDouble.of(millis)
        : OptionalDouble.empty();
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    server.close();
  }
}
