package dev.cotenant.simulator.replay.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.MetricsReading.Cause;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import dev.cotenant.simulator.replay.source.PrometheusRecording.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Reads a history in chunks of {@value #MAX_STEPS} steps. Chunks that are too much for the server
 * or for this process are halved, down to {@value #MIN_STEPS} steps.
 */
final class ChunkedQueries {
  private static final int MAX_STEPS = 360;
  private static final int MIN_STEPS = 20;

  /**
   * What servers say when a query is too much: Prometheus (points, samples, time), Thanos (chunks
   * and series), Mimir (chunks, series, time range), VictoriaMetrics (samples, series), and proxies
   * by status.
   */
  private static final Pattern TOO_MUCH =
      Pattern.compile(
          "exceed|too many samples|too large|timed? ?out|limit|cannot select more"
              + "|HTTP (413|503|504)",
          Pattern.CASE_INSENSITIVE);

  private final PrometheusHistory history;
  private final Metrics metrics;
  private final Span span;
  private final Consumer<String> progress;
  private final Set<Part> found = new HashSet<>();
  private int steps = MAX_STEPS;

  /**
   * A query and its reader.
   *
   * @param query builds the query from those of a chunk
   * @param sampling whether it is evaluated at every step or once at the end of the chunk
   * @param effect what is not known where the server has no such series; may be empty
   */
  record Part(
      Function<HistoryQueries, String> query,
      Sampling sampling,
      PrometheusHistory.Reader reader,
      String effect) {}

  /** When a query is evaluated. */
  enum Sampling {
    EVERY_STEP,
    AT_THE_END
  }

  /**
   * @param progress takes a line before each chunk
   */
  ChunkedQueries(PrometheusHistory history, Metrics metrics, Span span, Consumer<String> progress) {
    this.history = history;
    this.metrics = metrics;
    this.span = span;
    this.progress = progress;
  }

  /**
   * Reads the span: all parts of a chunk, then the next.
   *
   * @return parts without series in the server
   * @throws InputException ({@code metrics-unavailable}) where the server fails
   */
  List<Part> read(List<Part> parts) {
    Instant from = span.start();
    while (from.isBefore(span.end())) {
      Instant to = from.plus(span.step().multipliedBy(steps));
      Instant last = to.isAfter(span.end()) ? span.end() : to;
      for (Part part : parts) {
        read(part, from, last);
      }
      from = last;
    }
    return parts.stream().filter(part -> !found.contains(part)).toList();
  }

  private void read(Part part, Instant from, Instant to) {
    progress.accept("reading " + from + " to " + to);
    Optional<MetricsReading.Failed> failed = ask(part, from, to);
    if (failed.isPresent()) {
      int half = Math.toIntExact(Duration.between(from, to).dividedBy(span.step()) / 2);
      requireSmaller(failed.get(), half);
      steps = Math.min(steps, half);
      Instant middle = from.plus(span.step().multipliedBy(half));
      read(part, from, middle);
      read(part, middle, to);
    }
  }

  private void requireSmaller(MetricsReading.Failed failed, int half) {
    if (!isTooMuch(failed)) {
      throw InputException.notFound("metrics-unavailable", failed.message());
    }
    if (half < MIN_STEPS) {
      throw InputException.notFound(
          "metrics-unavailable",
          failed.message()
              + ". Queries of "
              + MIN_STEPS
              + " to "
              + 2 * MIN_STEPS
              + " steps of "
              + span.step().toSeconds()
              + " s are the shortest that are tried: lengthen the step, narrow the matchers, or"
              + " raise the request timeout or the server's limits (query.max-samples,"
              + " query.timeout).");
    }
  }

  static boolean isTooMuch(MetricsReading.Failed failed) {
    return failed.cause() == Cause.TIMED_OUT
        || failed.cause() == Cause.TOO_LARGE
        || (failed.cause() == Cause.REFUSED && TOO_MUCH.matcher(failed.message()).find());
  }

  /** Points after {@code from} up to {@code to}. */
  private Optional<MetricsReading.Failed> ask(Part part, Instant from, Instant to) {
    Instant next = from.plus(span.step());
    Instant first =
        switch (part.sampling()) {
          case EVERY_STEP -> next.isAfter(to) ? to : next;
          case AT_THE_END -> to;
        };
    HistoryQueries queries = new HistoryQueries(metrics, span.step(), Duration.between(from, to));
    return history.read(
        new PrometheusHistory.Range(
            part.query().apply(queries), first, to, span.step(), HistoryQueries.LABELS),
        (labels, samples) -> {
          found.add(part);
          part.reader().series(labels, samples);
        });
  }
}
