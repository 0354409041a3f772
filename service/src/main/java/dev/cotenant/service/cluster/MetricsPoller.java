package dev.cotenant.service.cluster;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.engine.cluster.PolledReadings;
import dev.cotenant.forecast.prometheus.DroppedSamples;
import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes readings in the background, on a thread of its own: no request waits for it. A failure
 * is logged once until it changes, counted each time, and tried again after the interval.
 */
public final class MetricsPoller {
  private static final Logger LOG = Logger.getLogger(MetricsPoller.class);

  /** Number of GPUs with problems that a reading logs by name. */
  private static final int MAX_LINES = 20;

  private final PrometheusClient client;
  private final Duration longestSilence;
  private final PolledReadings readings;
  private final MeterRegistry meters;
  private final StandingGauges gauges;
  private final Set<String> reported = new HashSet<>();
  private String lastFailure = "";
  private Runnable refreshed = () -> {};
  private @Nullable Loop loop;

  /**
   * @param longestSilence of one reading
   */
  public MetricsPoller(
      PrometheusClient client,
      PolledReadings readings,
      MeterRegistry meters,
      Duration longestSilence) {
    this.client = client;
    this.longestSilence = longestSilence;
    this.readings = readings;
    this.meters = meters;
    this.gauges = new StandingGauges(meters);
  }

  /**
   * Reads once, so that the first request finds GPUs, then periodically.
   *
   * @param interval between two readings
   * @param refreshed runs after every reading
   */
  public void start(Duration interval, Runnable refreshed, Supervisor supervisor) {
    this.refreshed = refreshed;
    poll();
    loop =
        supervisor.start(
            LoopPlan.restarted("metrics-poller", longestSilence),
            heart -> {
              heart.rest(interval);
              poll();
            });
  }

  /** Ends polling and what is under way. */
  public void stop() {
    if (loop != null) {
      loop.close();
    }
    client.close();
  }

  private void poll() {
    Timer.Sample sample = Timer.start(meters);
    String outcome = "failed";
    try {
      PolledReadings.Polled polled = readings.refresh();
      outcome = polled.failure().isEmpty() ? "read" : "failed";
      report(polled);
    } catch (RuntimeException defect) { // polling would end with it
      LOG.error("Reading metrics failed on a defect", defect);
    } finally {
      sample.stop(meters.timer("cotenant.prometheus.query", "outcome", outcome));
    }
  }

  private void report(PolledReadings.Polled polled) {
    for (MetricsReading.Failed failed : polled.failure()) {
      meters
          .counter(
              "cotenant.prometheus.query.failures",
              "cause",
              failed.cause().name().toLowerCase(Locale.ROOT))
          .increment();
      if (!failed.message().equals(lastFailure)) {
        LOG.warnf(
            "Metrics cannot be read, the last samples stay in use until they are stale: %s",
            failed.message());
      }
      lastFailure = failed.message();
    }
    if (polled.failure().isEmpty()) {
      if (!lastFailure.isEmpty()) {
        LOG.info("Metrics can be read again");
      }
      lastFailure = "";
      count(polled.dropped());
      warn(polled.problems());
      gauges.show(readings);
      refreshed.run();
    }
  }

  private void warn(List<String> problems) {
    List<String> unknown = problems.stream().filter(reported::add).toList();
    unknown.stream().limit(MAX_LINES).forEach(line -> LOG.warnf("GPU %s", line));
    if (unknown.size() > MAX_LINES) {
      LOG.warnf("GPUs with such problems: %d more", unknown.size() - MAX_LINES);
    }
    reported.retainAll(Set.copyOf(problems));
  }

  private void count(DroppedSamples dropped) {
    count("blank", dropped.blank());
    count("not_finite", dropped.notFinite());
    count("out_of_range", dropped.outOfRange());
    count("repeated", dropped.repeated());
    count("future", dropped.future());
    count("nameless", dropped.nameless());
  }

  private void count(String cause, int samples) {
    meters.counter("cotenant.metrics.dropped.samples", "cause", cause).increment(samples);
  }
}
