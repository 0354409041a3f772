package dev.cotenant.service.configuration;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Turns {@code cotenant.prometheus} into settings. */
final class PrometheusReader {
  private final PrometheusConfiguration configuration;

  PrometheusReader(PrometheusConfiguration configuration) {
    this.configuration = configuration;
  }

  /** Empty without a url; what else is wrong is named with its group. */
  Optional<PrometheusSettings> read() {
    PrometheusSettings.Metrics metrics =
        checked(
            "used-metric, free-metric, utilization-metric and memory-unit",
            () ->
                new PrometheusSettings.Metrics(
                    configuration.usedMetric(),
                    configuration.freeMetric(),
                    configuration.utilizationMetric(),
                    configuration.matchers().orElse(""),
                    (double) configuration.memoryUnit().asLongValue()));
    PrometheusSettings.Range range =
        checked(
            "window, step and collection-interval",
            () ->
                new PrometheusSettings.Range(
                    configuration.window(),
                    configuration.step(),
                    configuration.collectionInterval()));
    PrometheusSettings.Access access =
        checked(
            "client-certificate-file and client-key-file",
            () ->
                new PrometheusSettings.Access(
                    configuration
                        .tenant()
                        .map(tenant -> Map.of(configuration.tenantHeader(), tenant))
                        .orElse(Map.of()),
                    configuration.bearerTokenFile(),
                    configuration.caFile(),
                    configuration.clientCertificateFile(),
                    configuration.clientKeyFile()));
    PrometheusSettings.Limits limits =
        checked(
            "connect-timeout, request-timeout and max-answer-size",
            () ->
                new PrometheusSettings.Limits(
                    configuration.connectTimeout(),
                    configuration.requestTimeout(),
                    configuration.maxAnswerSize().asLongValue(),
                    configuration.clockSkew()));
    return configuration
        .url()
        .map(url ->
            checked(
                "url",
                () -> new PrometheusSettings(URI.create(url), metrics, range, access, limits)));
  }

  private static <T> T checked(String keys, Supplier<T> settings) {
    try {
      return settings.get();
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT,
          "bad-configuration",
          "cotenant.prometheus." + keys + " must fit: " + e.getMessage(),
          e);
    }
  }
}
