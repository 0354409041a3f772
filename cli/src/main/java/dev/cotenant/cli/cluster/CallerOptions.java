package dev.cotenant.cli.cluster;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How this client shows a metrics server who it is. */
public final class CallerOptions {
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

  PrometheusSettings.Access access() {
    return new PrometheusSettings.Access(
        headers,
        Optional.ofNullable(bearerTokenFile),
        Optional.ofNullable(certificateAuthority),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * The settings of a server of which no series of GPUs are read.
   *
   * @throws InputException ({@code bad-server-option})
   */
  public PrometheusSettings settings(String url) {
    try {
      PrometheusSettings defaults = PrometheusSettings.of(URI.create(url));
      return new PrometheusSettings(
          defaults.url(), defaults.metrics(), defaults.range(), access(), defaults.limits());
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT,
          "bad-server-option",
          "--prometheus and its options: " + e.getMessage() + ".",
          e);
    }
  }
}
