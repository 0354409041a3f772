package dev.cotenant.forecast.prometheus;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Queries of one's own to a server that speaks the Prometheus HTTP API, within the limits of the
 * settings on time and size. One thread at a time.
 */
public final class PrometheusHistory implements AutoCloseable {
  private final PrometheusApi api;
  private final List<String> warnings = new ArrayList<>();

  /**
   * Opens no connection yet.
   *
   * @throws dev.cotenant.domain.InputException ({@code bad-tls-file}) when a certificate or key
   *     cannot be read
   */
  public PrometheusHistory(PrometheusSettings settings) {
    api = new PrometheusApi(settings);
  }

  /**
   * What is queried.
   *
   * @param query in PromQL
   * @param from the first instant of evaluation
   * @param to the last one at most
   * @param step between two, at least a second
   * @param labels that are read; others are skipped
   */
  public record Range(String query, Instant from, Instant to, Duration step, Set<String> labels) {
    public Range {
      if (step.toSeconds() < 1 || to.isBefore(from)) {
        throw new IllegalArgumentException("step must be at least 1 s and to not before from");
      }
      labels = Set.copyOf(labels);
    }
  }

  /** Takes one series at a time. */
  @FunctionalInterface
  public interface Reader {
    /**
     * A series.
     *
     * @param labels values beyond 1,000 characters are missing
     * @param samples valid during the call alone
     */
    void series(Map<String, String> labels, Samples samples);
  }

  private record Series(Map<String, String> labels, Samples samples) {}

  /** Reads a range; what failed, in which case the reader gets no series of it. */
  public Optional<MetricsReading.Failed> read(Range range, Reader reader) {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("query", range.query());
    form.put("start", Long.toString(range.from().getEpochSecond()));
    form.put("end", Long.toString(range.to().getEpochSecond()));
    form.put("step", Long.toString(range.step().toSeconds()));
    return read(new PrometheusApi.Query("query_range", form, "matrix"), range.labels(), reader);
  }

  /**
   * Reads one sample of each series at an instant; what failed, in which case the reader gets none.
   *
   * @param labels that are read; others are skipped
   */
  public Optional<MetricsReading.Failed> read(
      String query, Instant at, Set<String> labels, Reader reader) {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("query", query);
    form.put("time", Long.toString(at.getEpochSecond()));
    return read(new PrometheusApi.Query("query", form, "vector"), labels, reader);
  }

  private Optional<MetricsReading.Failed> read(
      PrometheusApi.Query query, Set<String> read, Reader reader) {
    PrometheusApi.Reading reading =
        new PrometheusApi.Reading(read, RetainedBytes.ofThisHeap(), warnings);
    List<Series> answer = new ArrayList<>();
    try {
      api.ask(query, (labels, samples) -> answer.add(new Series(labels, samples.copy())), reading);
      answer.forEach(series -> reader.series(series.labels(), series.samples()));
      return Optional.empty();
    } catch (InvalidResponseException e) {
      return Optional.of(e.failed());
    }
  }

  /** The server's warnings so far. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    api.close();
  }
}
