package dev.cotenant.engine.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.llm.serving.KvDemand.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What vLLM's servers export about their KV caches, over a time.
 *
 * @param server answers range queries
 * @param matchers of labels, in each selector; may be empty
 * @param now its end
 * @param history its length
 * @param step between two samples
 */
public record KvHistory(
    PrometheusHistory server, String matchers, Instant now, Duration history, Duration step) {
  /** Code of the exception where no server is known. */
  public static final String NO_ENGINES = "no-engine-metrics";

  private static final long MAX_POINTS = 10_000;

  private static final String USED = "vllm:kv_cache_usage_perc|vllm:gpu_cache_usage_perc";
  private static final String RUNNING = "vllm:num_requests_running";
  private static final String WAITING = "vllm:num_requests_waiting";
  private static final String CONFIG = "vllm:cache_config_info";
  private static final List<String> IDENTITY =
      List.of("namespace", "pod", "instance", "engine", "model_name");
  private static final Set<String> LABELS =
      Set.of(
          "namespace", "pod", "instance", "engine", "model_name", "num_gpu_blocks", "block_size");
  private static final double MAX = 1e12;

  /**
   * A server's replica.
   *
   * @param namespace of its pod; empty where the scrape names none
   * @param pod empty where the scrape names none
   * @param name identifying labels as plain text
   */
  public record Server(String namespace, String pod, String name) {}

  /** The shortest step that a metrics server answers over a time, 30 s at least. */
  public static Duration step(Duration history) {
    return Duration.ofSeconds(Math.max(30, history.toSeconds() / MAX_POINTS));
  }

  /**
   * Samples by server; samples without a known pool are left out.
   *
   * @throws InputException ({@code metrics-unavailable}, {@code no-engine-metrics})
   */
  public Map<Server, List<Sample>> read() {
    Map<String, Map<Long, Double>> pools = new HashMap<>();
    query(
        CONFIG,
        (labels, samples) -> {
          double tokens = number(labels, "num_gpu_blocks") * number(labels, "block_size");
          Map<Long, Double> own = pools.computeIfAbsent(key(labels), _ -> new HashMap<>());
          for (int i = 0; i < samples.size(); i++) {
            own.put(samples.milliseconds(i), tokens);
          }
        });
    Map<String, Map<Long, Double>> running = values(RUNNING);
    Map<String, Map<Long, Double>> waiting = values(WAITING);
    Map<Server, List<Sample>> found = new LinkedHashMap<>();
    query(
        USED,
        (labels, samples) -> {
          Map<Long, Double> own = pools.getOrDefault(key(labels), Map.of());
          for (int i = 0; i < samples.size(); i++) {
            Double tokens = own.get(samples.milliseconds(i));
            if (tokens != null) {
              found
                  .computeIfAbsent(server(labels), _ -> new ArrayList<>())
                  .add(
                      new Sample(
                          samples.milliseconds(i) / 1000.0,
                          samples.value(i),
                          tokens,
                          at(running, labels, samples.milliseconds(i)),
                          at(waiting, labels, samples.milliseconds(i))));
            }
          }
        });
    if (found.isEmpty()) {
      throw InputException.notFound(
          NO_ENGINES,
          "The server knows no engine that exports both "
              + USED.replace("|", " or ")
              + " and "
              + CONFIG
              + "; check --matchers.");
    }
    return found;
  }

  /** Values of a gauge by server and time; none where no server exports it. */
  private Map<String, Map<Long, Double>> values(String name) {
    Map<String, Map<Long, Double>> found = new HashMap<>();
    query(
        name,
        (labels, samples) -> {
          Map<Long, Double> own = found.computeIfAbsent(key(labels), _ -> new HashMap<>());
          for (int i = 0; i < samples.size(); i++) {
            own.put(samples.milliseconds(i), samples.value(i));
          }
        });
    return found;
  }

  /** 0 where there is none. */
  private static double at(
      Map<String, Map<Long, Double>> values, Map<String, String> labels, long milliseconds) {
    double value = values.getOrDefault(key(labels), Map.of()).getOrDefault(milliseconds, 0.0);
    return value >= 0 && value < MAX ? value : 0;
  }

  private void query(String names, PrometheusHistory.Reader reader) {
    String selector =
        "{__name__=~\"" + names + "\"" + (matchers.isEmpty() ? "" : "," + matchers) + "}";
    Instant end = Instant.ofEpochSecond(now.getEpochSecond() / step.toSeconds() * step.toSeconds());
    Optional<MetricsReading.Failed> failed =
        server.read(
            new PrometheusHistory.Range(selector, end.minus(history), end, step, LABELS), reader);
    if (failed.isPresent()) {
      throw InputException.notFound("metrics-unavailable", failed.get().message());
    }
  }

  /** A server's replica; the configuration lacks the model's name. */
  private static String key(Map<String, String> labels) {
    StringBuilder key = new StringBuilder();
    for (String label : IDENTITY.subList(0, IDENTITY.size() - 1)) {
      key.append(labels.getOrDefault(label, "")).append('\n');
    }
    return key.toString();
  }

  private static Server server(Map<String, String> labels) {
    List<String> parts = new ArrayList<>();
    for (String label : IDENTITY) {
      String value = labels.getOrDefault(label, "");
      if (!value.isEmpty()) {
        parts.add(PlainText.of(value));
      }
    }
    return new Server(
        labels.getOrDefault("namespace", ""),
        labels.getOrDefault("pod", ""),
        String.join(" ", parts));
  }

  private static double number(Map<String, String> labels, String name) {
    String text = labels.getOrDefault(name, "");
    double value = text.matches("[0-9]{1,12}(\\.[0-9]{1,6})?") ? Double.parseDouble(text) : 0;
    return Math.min(value, MAX);
  }
}
