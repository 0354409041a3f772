package dev.cotenant.forecast.prometheus;

import dev.cotenant.domain.InputException;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Posts queries to a server that speaks the Prometheus HTTP API, within the limits on time and
 * size. Thread safe.
 */
final class PrometheusApi implements AutoCloseable {
  private static final int ERROR_STATUS = 400;
  private static final int MAX_COMPLAINT_LENGTH = 200;
  private static final int MAX_ERROR_BYTES = 64 << 10;

  /** What proxies mean by a status without Prometheus' own words. */
  private static final Map<Integer, String> UNACCEPTED =
      Map.of(
          401, "who is asking is not known: check the bearer token or the client certificate",
          403, "the bearer token, client certificate or tenant may not read metrics there");

  private final PrometheusSettings settings;
  private final HttpClient http;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Opens no connection yet.
   *
   * @throws dev.cotenant.domain.InputException ({@code bad-tls-file}) when a certificate or key
   *     cannot be read
   */
  PrometheusApi(PrometheusSettings settings) {
    this.settings = settings;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.limits().connectTimeout());
    TlsFiles.context(settings.access()).ifPresent(builder::sslContext);
    http = builder.build();
  }

  /**
   * Accumulated state of one reading.
   *
   * @param labels that are read; others are skipped
   * @param retained the heap that the answers may occupy
   * @param warnings of the server
   */
  record Reading(Set<String> labels, RetainedBytes retained, List<String> warnings) {}

  /** A query: path below {@code /api/v1/}, form and type of the result. */
  record Query(String path, Map<String, String> form, String type) {}

  /** Posts a query; series go to the sink as they are read. */
  void ask(Query query, SeriesSink sink, Reading reading) throws InvalidResponseException {
    Map<String, String> form = new LinkedHashMap<>(query.form());
    form.put("timeout", Math.max(1, settings.limits().requestTimeout().toSeconds()) + "s");
    URI uri =
        URI.create(settings.url().toString().replaceAll("/+$", "") + "/api/v1/" + query.path());
    withinDeadline(
        uri,
        () -> {
          HttpResponse<InputStream> response = send(uri, form);
          try (InputStream body = response.body()) {
            take(uri, response.statusCode(), body, query.type(), sink, reading);
          }
          return true;
        });
  }

  private HttpResponse<InputStream> send(URI uri, Map<String, String> form)
      throws IOException, InterruptedException, InvalidResponseException {
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
      throw new InvalidResponseException(
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
      throws IOException, InvalidResponseException {
    if (status >= ERROR_STATUS || status != 200) {
      throw refused(uri, status, new LimitedStream(body, MAX_ERROR_BYTES));
    }
    ResponseParser parser = new ResponseParser(sink, reading.labels(), reading.retained());
    parser.parse(new LimitedStream(body, settings.limits().maxAnswerBytes()));
    if (!parser.error().isEmpty()) {
      throw new InvalidResponseException(Cause.REFUSED, uri + ": " + shortened(parser.error()));
    }
    if (!parser.resultType().equals(type)) {
      throw new InvalidResponseException(
          Cause.MALFORMED,
          uri + ": the result is a '" + shortened(parser.resultType()) + "' and no " + type);
    }
    reading.warnings().addAll(parser.warnings());
  }

  private static InvalidResponseException refused(URI uri, int status, InputStream body) {
    String said;
    try {
      ResponseParser parser =
          new ResponseParser((_, _) -> {}, Set.of(), RetainedBytes.ofThisHeap());
      parser.parse(body);
      said = parser.error();
    } catch (IOException e) {
      said = UNACCEPTED.getOrDefault(status, "no Prometheus API answers there");
    }
    return new InvalidResponseException(
        Cause.REFUSED, uri + ": HTTP " + status + ": " + shortened(said));
  }

  private HttpRequest request(URI uri, Map<String, String> form) throws InvalidResponseException {
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
  private void withinDeadline(URI uri, Callable<Boolean> work) throws InvalidResponseException {
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
      throw new InvalidResponseException(Cause.UNREACHABLE, uri + ": interrupted", e);
    } catch (ExecutionException e) {
      throw translated(uri, e);
    }
  }

  private InvalidResponseException translated(URI uri, ExecutionException failure) {
    return switch (failure.getCause()) {
      case InvalidResponseException known -> known;
      case HttpTimeoutException timeout -> timedOut(uri, timeout);
      case LimitedStream.TooLongException tooLong ->
          new InvalidResponseException(
              Cause.TOO_LARGE, uri + ": the answer " + tooLong.getMessage(), tooLong);
      case RetainedBytes.TooManyException tooMany ->
          new InvalidResponseException(
              Cause.TOO_LARGE, uri + ": the answer " + tooMany.getMessage(), tooMany);
      case com.fasterxml.jackson.core.JacksonException json ->
          new InvalidResponseException(
              Cause.MALFORMED,
              uri + ": the answer is no whole JSON: " + shortened(json.getOriginalMessage()),
              json);
      case IOException io when TlsFault.in(io).isPresent() ->
          new InvalidResponseException(
              Cause.UNTRUSTED, uri + ": " + shortened(TlsFault.in(io).get().words()), io);
      case ConnectException refused ->
          new InvalidResponseException(
              Cause.UNREACHABLE, uri + ": cannot be connected to: is it running?", refused);
      case IOException io ->
          new InvalidResponseException(
              Cause.MALFORMED, uri + ": " + shortened(String.valueOf(io.getMessage())), io);
      case ArithmeticException beyond ->
          new InvalidResponseException(
              Cause.MALFORMED, uri + ": the answer has a time beyond any calendar", beyond);
      case InputException refused -> throw refused; // of the sink
      case null, default -> throw new IllegalStateException("reading " + uri, failure.getCause());
    };
  }

  private InvalidResponseException timedOut(URI uri, Exception cause) {
    return new InvalidResponseException(
        Cause.TIMED_OUT,
        uri + ": no whole answer within " + settings.limits().requestTimeout().toMillis() + " ms",
        cause);
  }

  private static String shortened(String text) {
    String line = text.lines().findFirst().orElse("").replaceAll("\\p{C}", "?");
    return line.length() > MAX_COMPLAINT_LENGTH
        ? line.substring(0, MAX_COMPLAINT_LENGTH) + "…"
        : line;
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    executor.shutdownNow();
    http.shutdownNow();
  }
}
