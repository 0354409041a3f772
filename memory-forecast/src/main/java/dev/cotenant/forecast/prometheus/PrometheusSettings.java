package dev.cotenant.forecast.prometheus;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which server is queried, for what, and how much of an answer is read.
 *
 * @param url its base address, such as {@code http://prometheus:9090}; a path stays
 * @param metrics what is queried
 * @param range which stretch of time, how finely
 * @param access how this client shows who it is
 * @param limits on time and size
 */
public record PrometheusSettings(
    URI url, Metrics metrics, Range range, Access access, Limits limits) {
  public PrometheusSettings {
    String scheme = url.getScheme();
    if (url.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw new IllegalArgumentException(
          "url must be http://HOST[:PORT][/PATH] or https://…, is '" + url + "'");
    }
    if (url.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          "url must be without user and password, which messages would show: use a header or the"
              + " file of a bearer token");
    }
  }

  /** This server, and every default. */
  public static PrometheusSettings of(URI url) {
    return new PrometheusSettings(url, Metrics.DEFAULT, Range.DEFAULT, Access.NONE, Limits.DEFAULT);
  }

  /** Copy with a different time range. */
  public PrometheusSettings withRange(Range other) {
    return new PrometheusSettings(url, metrics, other, access, limits);
  }

  /** Copy with a different request timeout. */
  public PrometheusSettings withRequestTimeout(Duration timeout) {
    Limits other =
        new Limits(limits.connectTimeout(), timeout, limits.maxAnswerBytes(), limits.clockSkew());
    return new PrometheusSettings(url, metrics, range, access, other);
  }

  /**
   * Names of what DCGM's exporter exports; newer releases and recording rules have others.
   *
   * @param used used memory
   * @param free free memory; usable memory is used + free
   * @param utilization percent of time any kernel ran
   * @param matchers added to each selector, such as {@code cluster="a"}; may be empty
   * @param bytesPerUnit of the two sizes; DCGM counts MiB
   */
  public record Metrics(
      String used, String free, String utilization, String matchers, double bytesPerUnit) {
    private static final Pattern UUID = Pattern.compile("[A-Za-z0-9-]{1,128}");

    /** Whether a text is valid in a selector as the driver's name of a GPU. */
    static boolean isUuid(String text) {
      return UUID.matcher(text).matches();
    }

    /** Those of one GPU. */
    Metrics ofGpu(String uuid) {
      String own = "UUID=\"" + uuid + "\"";
      return new Metrics(
          used, free, utilization, matchers.isBlank() ? own : matchers + ", " + own, bytesPerUnit);
    }

    /** As the exporter's default list has them. */
    public static final Metrics DEFAULT =
        new Metrics(
            "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_GPU_UTIL", "", 1 << 20);

    public Metrics {
      for (String name : new String[] {used, free, utilization}) {
        if (!name.matches("[a-zA-Z_:][a-zA-Z0-9_:]*")) {
          throw new IllegalArgumentException("'" + name + "' is not a metric name");
        }
      }
      if (!(bytesPerUnit >= 1 && bytesPerUnit < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("bytesPerUnit must be at least 1, is " + bytesPerUnit);
      }
    }
  }

  /**
   * A stretch of time.
   *
   * @param window how far back
   * @param step between samples; a step below {@code collection} is raised to it, since a collector
   *     that is scraped more often repeats its values
   * @param collection how often the exporter collects
   */
  public record Range(Duration window, Duration step, Duration collection) {
    /** 60 samples of DCGM's 30 s collector. */
    public static final Range DEFAULT =
        new Range(Duration.ofMinutes(30), Duration.ofSeconds(30), Duration.ofSeconds(30));

    /** A server refuses more points of a series (Prometheus, web/api/v1). */
    private static final int MAX_POINTS = 11_000;

    public Range {
      if (step.compareTo(Duration.ofSeconds(1)) < 0 || collection.isNegative()) {
        throw new IllegalArgumentException("step must be at least 1 s, is " + step);
      }
      step = step.compareTo(collection) < 0 ? collection : step;
      if (window.compareTo(step) < 0 || window.dividedBy(step) >= MAX_POINTS) {
        throw new IllegalArgumentException(
            "window must be 1 to " + MAX_POINTS + " steps of " + step + ", is " + window);
      }
    }
  }

  /**
   * How this client shows who it is.
   *
   * @param headers sent with each request, such as {@code X-Scope-OrgID} for a tenant of Mimir
   * @param bearerTokenFile holds a token; read for each request, as cluster tokens rotate
   * @param certificateAuthority PEM of who signed the server's certificate
   * @param clientCertificate PEM of this client's certificate chain
   * @param clientKey PEM of its key, without a password
   */
  public record Access(
      Map<String, String> headers,
      Optional<Path> bearerTokenFile,
      Optional<Path> certificateAuthority,
      Optional<Path> clientCertificate,
      Optional<Path> clientKey) {
    /** Anonymous. */
    public static final Access NONE =
        new Access(
            Map.of(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public Access {
      headers = Map.copyOf(headers);
      if (clientCertificate.isPresent() != clientKey.isPresent()) {
        throw new IllegalArgumentException("a client certificate and its key go together");
      }
    }
  }

  /**
   * How much is waited for and taken.
   *
   * @param connectTimeout until a connection stands
   * @param requestTimeout until the whole answer was read, however slowly it trickles
   * @param maxAnswerBytes of one answer
   * @param clockSkew how far ahead of this machine's clock a sample may be
   */
  public record Limits(
      Duration connectTimeout, Duration requestTimeout, long maxAnswerBytes, Duration clockSkew) {
    /** 10,000 devices × 360 samples are some 100 MiB. */
    public static final Limits DEFAULT =
        new Limits(
            Duration.ofSeconds(2), Duration.ofSeconds(10), 256L << 20, Duration.ofSeconds(30));

    public Limits {
      if (!connectTimeout.isPositive() || !requestTimeout.isPositive() || maxAnswerBytes < 1) {
        throw new IllegalArgumentException("timeouts and maxAnswerBytes must be positive");
      }
    }
  }
}
