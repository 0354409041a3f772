package dev.cotenant.service.serving;

import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what servers of vLLM export from a metrics server, by the labels {@code namespace} and
 * {@code pod} that the scrape gives them. One thread at a time.
 */
public final class EngineSeries implements EngineMetrics {
  private static final String CONFIG = "vllm:cache_config_info";
  private static final Set<String> LABELS =
      Set.of("namespace", "pod", "num_gpu_blocks", "block_size");

  /** Maximum age of a running server's series. */
  private static final Duration FRESH = Duration.ofMinutes(3);

  private static final Duration STEP = Duration.ofSeconds(10);

  /** Seconds by which the clock of a server of metrics may run ahead. */
  private static final long SKEW = 60;

  private final PrometheusHistory server;
  private final String matchers;

  public EngineSeries(PrometheusSettings settings) {
    server = new PrometheusHistory(settings);
    matchers = settings.metrics().matchers();
  }

  @Override
  public Reading read(Instant now) {
    Map<String, Served> servers = new HashMap<>();
    // A server of metrics repeats a value for minutes: only the time of its scrape says whether it
    // is of the pod that runs now, or of one before it with its name.
    String scraped =
        "timestamp({__name__=\""
            + CONFIG
            + "\""
            + (matchers.isEmpty() ? "" : "," + matchers)
            + "})";
    Optional<MetricsReading.Failed> failed =
        server.read(
            new PrometheusHistory.Range(scraped, now.minus(FRESH), now, STEP, LABELS),
            (labels, samples) -> {
              String pod = labels.getOrDefault("pod", "");
              double pool = number(labels, "num_gpu_blocks") * number(labels, "block_size");
              double at = samples.size() == 0 ? 0 : samples.value(samples.size() - 1);
              if (!pod.isEmpty() && pool > 0 && at > 0 && at <= now.getEpochSecond() + SKEW) {
                servers.merge(
                    labels.getOrDefault("namespace", "") + "/" + pod,
                    new Served(pool, Instant.ofEpochSecond((long) at)),
                    (one, other) -> one.at().isBefore(other.at()) ? other : one);
              }
            });
    return new Reading(servers, failed.map(MetricsReading.Failed::message).orElse(""));
  }

  private static double number(Map<String, String> labels, String name) {
    String text = labels.getOrDefault(name, "");
    return text.matches("[0-9]{1,12}") ? Double.parseDouble(text) : 0;
  }

  @Override
  public void close() {
    server.close();
  }
}
