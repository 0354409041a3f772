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
public final class EngineSeries implements EngineMetrics, AutoCloseable {
  private static final String CONFIG = "vllm:cache_config_info";
  private static final String NAMES =
      CONFIG
          + "|vllm:kv_cache_usage_perc|vllm:gpu_cache_usage_perc"
          + "|vllm:num_requests_running|vllm:num_requests_waiting";
  private static final Set<String> LABELS =
      Set.of("__name__", "namespace", "pod", "num_gpu_blocks", "block_size");

  /** Within which a series is one of a server that still runs. */
  private static final Duration FRESH = Duration.ofMinutes(3);

  private static final Duration STEP = Duration.ofMinutes(1);

  private final PrometheusHistory server;
  private final String matchers;

  public EngineSeries(PrometheusSettings settings) {
    server = new PrometheusHistory(settings);
    matchers = settings.metrics().matchers();
  }

  /** What is read of one pod. */
  private static final class Found {
    private double tokens;
    private double usage = Double.NaN;
    private double requests;
  }

  @Override
  public Reading read(Instant now) {
    Map<String, Found> found = new HashMap<>();
    String selector =
        "{__name__=~\"" + NAMES + "\"" + (matchers.isEmpty() ? "" : "," + matchers) + "}";
    Optional<MetricsReading.Failed> failed =
        server.read(
            new PrometheusHistory.Range(selector, now.minus(FRESH), now, STEP, LABELS),
            (labels, samples) -> {
              String pod = labels.getOrDefault("pod", "");
              if (!pod.isEmpty() && samples.size() > 0) {
                String key = labels.getOrDefault("namespace", "") + "/" + pod;
                add(
                    found.computeIfAbsent(key, _ -> new Found()),
                    labels,
                    samples.value(samples.size() - 1));
              }
            });
    Map<String, State> states = new HashMap<>();
    found.forEach((pod, one) -> {
      if (one.tokens > 0 && !Double.isNaN(one.usage)) {
        states.put(pod, new State(one.tokens, one.usage, one.requests));
      }
    });
    return new Reading(states, failed.map(MetricsReading.Failed::message).orElse(""));
  }

  private static void add(Found found, Map<String, String> labels, double value) {
    String name = labels.getOrDefault("__name__", "");
    if (name.equals(CONFIG)) {
      found.tokens = number(labels, "num_gpu_blocks") * number(labels, "block_size");
    } else if (name.startsWith("vllm:num_requests")) {
      found.requests += value;
    } else {
      found.usage = value;
    }
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
