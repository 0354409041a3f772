package dev.cotenant.forecast.prometheus;

import dev.cotenant.forecast.prometheus.MetricsReading.Cause;
import dev.cotenant.forecast.prometheus.ResponseParser.SeriesSink;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Reads used memory, capacity, utilization and sample ages of every GPU from a server that speaks
 * the Prometheus HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics.
 *
 * <p>Two requests a reading, however many GPUs there are. What goes wrong comes back as {@link
 * MetricsReading.Failed}, never later than the request timeout for each of the two. Thread safe.
 */
public final class PrometheusClient implements AutoCloseable {
  private static final int ERROR_STATUS = 400;
  private static final int LONGEST_COMPLAINT = 200;
  private static final int LARGEST_ERROR_BYTES = 64 << 10;

  /** What proxies mean by a status without Prometheus' own words. */
  private static final Map<Integer, String> UNACCEPTED =
      Map.of(
          401, "who is asking is not known: check the bearer token or the client certificate",
          403, "the bearer token, client certificate or tenant may not read metrics there");

  private final PrometheusSettings settings;
  private final Queries queries;
  private final HttpClient http;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Opens no connection yet.
   *
   * @throws dev.cotenant.domain.InputException ({@code bad-tls-file}) when a certificate or key
   *     cannot be read
   */
  public PrometheusClient(PrometheusSettings settings) {
    this.settings = settings;
    queries = new Queries(settings.metrics(), settings.range());
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.limits().connectTimeout());
    TlsFiles.context(settings.access()).ifPresent(builder::sslContext);
    http = builder.build();
  }

  /** Everything the server knows of the window that ends at {@code now}. */
  public MetricsReading read(Instant now) {
    PrometheusSettings.Range range = settings.range();
    long step = range.step().toSeconds();
    long end = Math.floorDiv(now.getEpochSecond(), step) * step; // aligned answers can be cached
    long start = end - range.window().toSeconds() / step * step + step;
    DeviceCollector devices =
        new DeviceCollector(
            settings.metrics().bytesPerUnit(), now.plus(settings.limits().clockSkew()));
    Reading reading = new Reading(RetainedBytes.ofThisHeap(), new ArrayList<>());
    try {
      Map<String, String> series = new LinkedHashMap<>();
      series.put("query", queries.usedSeries());
      series.put("start", Long.toString(start));
      series.put("end", Long.toString(end));
      series.put("step", Long.toString(step));
      ask("query_range", "matrix", series, devices::series, reading);
      Map<String, String> newest = new LinkedHashMap<>();
      newest.put("query", queries.newest());
      newest.put("time", Long.toString(now.getEpochSecond()));
      ask("query", "vector", newest, devices::newest, reading);
    } catch (UnusableAnswerException e) {
      return e.failed();
    }
    List<DeviceMetrics> found = devices.devices(range.step());
    return new MetricsReading.Fetched(now, found, devices.dropped(), reading.warnings());
  }

  /** What the answers of one reading add up to. */
  private record Reading(RetainedBytes retained, List<String> warnings) {}

  private void ask(
      String path, String type, Map<String, String> form, SeriesSink sink, Reading reading)
      throws UnusableAnswerException {
    form.put("timeout", Math.max(1, settings.limits().requestTimeout().toSeconds()) + "s");
    URI uri = URI.create(settings.url().toString().replaceAll("/+$", "") + "/api/v1/" + path);
    withinDeadline(
        uri,
        () -> {
          HttpResponse<InputStream> response = send(uri, form);
          try (InputStream body = response.body()) {
            take(uri, response.statusCode(), body, type, sink, reading);
          }
          return true;
        });
  }

  private HttpResponse<InputStream> send(URI uri, Map<String, String> form)
      throws IOException, InterruptedException, UnusableAnswerException {
    HttpRequest request = request(uri, form);
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofInputStream());
    } catch (HttpTimeoutException | ConnectException | ProtocolException known) {
      throw known;
    } catch (IOException e) {
      if (TlsFault.in(e).isPresent()) {
        throw e;
      }
      // since TLS 1.3 a client's certificate is refused after the handshake: often just so
      throw new UnusableAnswerException(
          Cause.UNREACHABLE,
          uri
              + ": the connection ended before an answer: "
              + ("https".equals(uri.getScheme())
                  ? "does the server want another client certificate?"
                  : "is it an https:// address?"),
          e);
    }
  }

  private void take(
      URI uri, int status, InputStream body, String type, SeriesSink sink, Reading reading)
      throws IOException, UnusableAnswerException {
    if (status >= ERROR_STATUS || status != 200) {
      throw refused(uri, status, new LimitedStream(body, LARGEST_ERROR_BYTES));
    }
    ResponseParser parser = new ResponseParser(sink, reading.retained());
    parser.parse(new LimitedStream(body, settings.limits().maxAnswerBytes()));
    if (!parser.error().isEmpty()) {
      throw new UnusableAnswerException(Cause.REFUSED, uri + ": " + shortened(parser.error()));
    }
    if (!parser.resultType().equals(type)) {
      throw new UnusableAnswerException(
          Cause.MALFORMED,
          uri + ": the result is a '" + shortened(parser.resultType()) + "' and no " + type);
    }
    reading.warnings().addAll(parser.warnings());
  }

  private static UnusableAnswerException refused(URI uri, int status, InputStream body) {
    String said;
    try {
      ResponseParser parser = new ResponseParser((_, _) -> {}, RetainedBytes.ofThisHeap());
      parser.parse(body);
      said = parser.error();
    } catch (IOException e) {
      said = UNACCEPTED.getOrDefault(status, "no Prometheus API answers there");
    }
    return new UnusableAnswerException(
        Cause.REFUSED, uri + ": HTTP " + status + ": " + shortened(said));
  }

  private HttpRequest request(URI uri, Map<String, String> form) throws UnusableAnswerException {
    String body =
        form.entrySet().stream()
            .map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(settings.limits().requestTimeout())
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Accept", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    settings.access().headers().forEach(request::header);
    if (settings.access().bearerTokenFile().isPresent()) {
      request.header(
          "Authorization", BearerToken.header(settings.access().bearerTokenFile().get(), uri));
    }
    return request.build();
  }

  /** A request's own timeout ends with its headers; this one ends a body that trickles, too. */
  private void withinDeadline(URI uri, Callable<Boolean> work) throws UnusableAnswerException {
    Duration timeout = settings.limits().requestTimeout();
    Future<Boolean> future = executor.submit(work);
    try {
      future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      future.cancel(true);
      throw timedOut(uri, e);
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new UnusableAnswerException(Cause.UNREACHABLE, uri + ": interrupted", e);
    } catch (ExecutionException e) {
      throw translated(uri, e);
    }
  }

  private UnusableAnswerException translated(URI uri, ExecutionException failure) {
    return switch (failure.getCause()) {
      case UnusableAnswerException known -> known;
      case HttpTimeoutException timeout -> timedOut(uri, timeout);
      case LimitedStream.TooLongException tooLong ->
          new UnusableAnswerException(
              Cause.TOO_LARGE, uri + ": the answer " + tooLong.getMessage(), tooLong);
      case RetainedBytes.TooManyException tooMany ->
          new UnusableAnswerException(
              Cause.TOO_LARGE, uri + ": the answer " + tooMany.getMessage(), tooMany);
      case com.fasterxml.jackson.core.JacksonException json ->
          new UnusableAnswerException(
              Cause.MALFORMED,
              uri + ": the answer is no whole JSON: " + shortened(json.getOriginalMessage()),
              json);
      case IOException io when TlsFault.in(io).isPresent() ->
          new UnusableAnswerException(
              Cause.UNTRUSTED, uri + ": " + shortened(TlsFault.in(io).get().words()), io);
      case ConnectException refused ->
          new UnusableAnswerException(
              Cause.UNREACHABLE, uri + ": cannot be connected to: is it running?", refused);
      case IOException io ->
          new UnusableAnswerException(
              Cause.MALFORMED, uri + ": " + shortened(String.valueOf(io.getMessage())), io);
      case ArithmeticException beyond ->
          new UnusableAnswerException(
              Cause.MALFORMED, uri + ": the answer has a time beyond any calendar", beyond);
      case null, default -> throw new IllegalStateException("reading " + uri, failure.getCause());
    };
  }

  private UnusableAnswerException timedOut(URI uri, Exception cause) {
    return new UnusableAnswerException(
        Cause.TIMED_OUT,
        uri + ": no whole answer within " + settings.limits().requestTimeout().toMillis() + " ms",
        cause);
  }

  private static String shortened(String text) {
    String line = text.lines().findFirst().orElse("").replaceAll("\\p{C}", "?");
    return line.length() > LONGEST_COMPLAINT ? line.substring(0, LONGEST_COMPLAINT) + "…" : line;
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    executor.shutdownNow();
    http.shutdownNow();
  }
}
