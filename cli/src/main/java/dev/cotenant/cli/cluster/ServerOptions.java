package dev.cotenant.cli.cluster;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a metrics server is reached. */
final class ServerOptions {
  @Option(
      names = "--window",
      paramLabel = "MINUTES",
      defaultValue = "60",
      description = "Window of samples (default 60).")
  private long windowMinutes;

  @Option(
      names = "--step",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "Interval of samples, at least the collector's (default 30).")
  private long stepSeconds;

  @Option(
      names = "--matchers",
      paramLabel = "PROMQL",
      defaultValue = "",
      description = "Added to each selector, such as 'cluster=\"a\"'.")
  private String matchers = "";

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "HTTP header of each request, such as X-Scope-OrgID=team; repeatable.")
  private Map<String, String> headers = Map.of();

  @Option(
      names = "--bearer-token-file",
      paramLabel = "FILE",
      description = "A file that holds a token.")
  private @Nullable Path bearerTokenFile;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE.pem",
      description = "CA certificates (PEM) of the server.")
  private @Nullable Path certificateAuthority;

  /**
   * Reads the server once.
   *
   * @throws InputException ({@code bad-server-option}, {@code metrics-unavailable})
   */
  ServerReading read(String url, Instant now) {
    try (PrometheusClient client = new PrometheusClient(settings(url))) {
      return switch (client.read(now)) {
        case MetricsReading.Fetched fetched -> new ServerReading(fetched);
        case MetricsReading.Failed(MetricsReading.Cause _, String message) ->
            throw InputException.notFound("metrics-unavailable", message);
      };
    }
  }

  private PrometheusSettings settings(String url) {
    try {
      PrometheusSettings defaults = PrometheusSettings.of(URI.create(url));
      PrometheusSettings.Metrics names = defaults.metrics();
      Duration step = Duration.ofSeconds(stepSeconds);
      return new PrometheusSettings(
          defaults.url(),
          new PrometheusSettings.Metrics(
              names.used(), names.free(), names.utilization(), matchers, names.bytesPerUnit()),
          new PrometheusSettings.Range(Duration.ofMinutes(windowMinutes), step, step),
          new PrometheusSettings.Access(
              headers,
              Optional.ofNullable(bearerTokenFile),
              Optional.ofNullable(certificateAuthority),
              Optional.empty(),
              Optional.empty()),
          defaults.limits());
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT,
          "bad-server-option",
          "--prometheus and its options: " + e.getMessage() + ".",
          e);
    }
  }
}
