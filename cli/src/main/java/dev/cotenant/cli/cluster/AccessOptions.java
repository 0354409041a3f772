package dev.cotenant.cli.cluster;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which series of a metrics server are read, and how this client shows who it is. */
public final class AccessOptions {
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
   * The settings of a server.
   *
   * @param adapted takes the settings with these options
   * @throws InputException ({@code bad-server-option}) where an option is out of its range
   */
  public <T> T settings(String url, Function<PrometheusSettings, T> adapted) {
    try {
      PrometheusSettings defaults = PrometheusSettings.of(URI.create(url));
      PrometheusSettings.Metrics names = defaults.metrics();
      return adapted.apply(
          new PrometheusSettings(
              defaults.url(),
              new PrometheusSettings.Metrics(
                  names.used(), names.free(), names.utilization(), matchers, names.bytesPerUnit()),
              defaults.range(),
              new PrometheusSettings.Access(
                  headers,
                  Optional.ofNullable(bearerTokenFile),
                  Optional.ofNullable(certificateAuthority),
                  Optional.empty(),
                  Optional.empty()),
              defaults.limits()));
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT,
          "bad-server-option",
          "--prometheus and its options: " + e.getMessage() + ".",
          e);
    }
  }
}
