package dev.cotenant.forecast.prometheus;

import dev.cotenant.forecast.prometheus.PrometheusApi.Query;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Reads used memory, capacity, utilization and sample ages of every GPU from a server that speaks
 * the Prometheus HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics.
 *
 * <p>Two requests a reading, however many GPUs there are. What goes wrong comes back as {@link
 * MetricsReading.Failed}, never later than the request timeout for each of the two. Thread safe.
 */
public final class PrometheusClient implements AutoCloseable {
  private final PrometheusSettings settings;
  private final Queries queries;
  private final PrometheusApi api;

  /**
   * Opens no connection yet.
   *
   * @throws dev.cotenant.domain.InputException ({@code bad-tls-file}) when a certificate or key
   *     cannot be read
   */
  public PrometheusClient(PrometheusSettings settings) {
    this.settings = settings;
    queries = new Queries(settings.metrics(), settings.range());
    api = new PrometheusApi(settings);
  }

  /** Everything the server knows of the window that ends at {@code now}. */
  public MetricsReading read(Instant now) {
    return read(now, settings.range(), queries);
  }

  /**
   * What the server knows of one GPU between two instants; nothing where that is shorter than its
   * samples are apart, or the uuid is none of a driver's.
   */
  public MetricsReading read(String uuid, Instant from, Instant to) {
    PrometheusSettings.Range usual = settings.range();
    Duration window = Duration.between(from, to);
    if (window.compareTo(usual.step()) < 0 || !PrometheusSettings.Metrics.isUuid(uuid)) {
      return new MetricsReading.Fetched(List.of(), DroppedSamples.NONE, List.of());
    }
    PrometheusSettings.Range range =
        new PrometheusSettings.Range(window, usual.step(), usual.collection());
    return read(to, range, new Queries(settings.metrics().ofGpu(uuid), range));
  }

  /**
   * The single value of an expression at an instant.
   *
   * @return empty where the server refuses the expression, or has no number, several, or one that
   *     is not finite
   * @throws MetricsTimedOutException where it gives none in time
   * @throws MetricsUnreachableException if the server gives no answer
   */
  public OptionalDouble value(String expression, Instant at) {
    List<Double> values = new ArrayList<>();
    Map<String, String> form = new LinkedHashMap<>();
    form.put("query", expression);
    form.put("time", Long.toString(at.getEpochSecond()));
    PrometheusApi.Reading reading =
        new PrometheusApi.Reading(Set.of(), RetainedBytes.ofThisHeap(), new ArrayList<>());
    try {
      api.ask(
          new Query("query", form, "vector"),
          (_, samples) -> {
            if (samples.size() > 0) {
              values.add(samples.value(samples.size() - 1));
            }
          },
          reading);
    } catch (InvalidResponseException e) {
      if (e.isTimedOut()) {
        throw new MetricsTimedOutException(String.valueOf(e.getMessage()));
      }
      if (!e.isAnswered()) {
        throw new MetricsUnreachableException(String.valueOf(e.getMessage()));
      }
      return OptionalDouble.empty();
    }
    return values.size() == 1 && Double.isFinite(values.getFirst())
        ? OptionalDouble.of(values.getFirst())
        : OptionalDouble.empty();
  }

  private MetricsReading read(Instant now, PrometheusSettings.Range range, Queries queries) {
    long step = range.step().toSeconds();
    long end = Math.floorDiv(now.getEpochSecond(), step) * step; // aligned answers can be cached
    long start = end - range.window().toSeconds() / step * step + step;
    DeviceCollector devices =
        new DeviceCollector(
            settings.metrics().bytesPerUnit(), now.plus(settings.limits().clockSkew()));
    PrometheusApi.Reading reading =
        new PrometheusApi.Reading(
            DeviceCollector.LABELS, RetainedBytes.ofThisHeap(), new ArrayList<>());
    try {
      Map<String, String> series = new LinkedHashMap<>();
      series.put("query", queries.usedSeries());
      series.put("start", Long.toString(start));
      series.put("end", Long.toString(end));
      series.put("step", Long.toString(step));
      api.ask(new Query("query_range", series, "matrix"), devices::series, reading);
      Map<String, String> newest = new LinkedHashMap<>();
      newest.put("query", queries.newest());
      newest.put("time", Long.toString(now.getEpochSecond()));
      api.ask(new Query("query", newest, "vector"), devices::newest, reading);
    } catch (InvalidResponseException e) {
      return e.failed();
    }
    List<DeviceMetrics> found = devices.devices(range.step());
    return new MetricsReading.Fetched(found, devices.dropped(), reading.warnings());
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    api.close();
  }
}
