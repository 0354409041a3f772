package dev.cotenant.cli.cluster;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.MetricsReading;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Mixin;
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

  @Mixin private AccessOptions access = new AccessOptions();

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
    return access.settings(
        url,
        settings -> {
          Duration step = Duration.ofSeconds(stepSeconds);
          return settings.withRange(
              new PrometheusSettings.Range(Duration.ofMinutes(windowMinutes), step, step));
        });
  }
}
