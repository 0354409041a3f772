package dev.cotenant.cli.plan;

import dev.cotenant.cli.cluster.CallerOptions;
import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a fleet is watched by, and how often. */
final class WatchOptions {
  private static final long MAX_SECONDS = 3_600;

  @Option(
      names = "--watch",
      description =
          "Watch the fleet: once a period, read the rates and latencies of its workloads and print"
              + " the target, the changes and their reasons. Nothing is applied.")
  private boolean watch;

  @Option(
      names = "--prometheus",
      paramLabel = "URL",
      description = "A server with the Prometheus HTTP API.")
  private @Nullable String url;

  @Option(
      names = "--every",
      paramLabel = "SECONDS",
      defaultValue = "20",
      description = "Length of a period (default 20).")
  private long seconds;

  @Option(
      names = "--periods",
      paramLabel = "N",
      description = "Number of periods until the end (default unlimited).")
  private @Nullable Integer count;

  @Mixin private CallerOptions caller = new CallerOptions();

  /**
   * Whether the fleet is watched.
   *
   * @throws InputException ({@code bad-watch}) where only one of the options is there
   */
  boolean isOn() {
    if (watch != (url != null)) {
      throw InputException.invalidArgument(
          "bad-watch", "--watch needs --prometheus URL, and --prometheus is for --watch.");
    }
    return watch;
  }

  /**
   * The server.
   *
   * @throws InputException ({@code bad-server-option}, {@code bad-watch})
   */
  PrometheusSettings server() {
    if (count != null && count < 1) {
      throw InputException.invalidArgument(
          "bad-watch", "--periods must be at least 1, is " + count + ".");
    }
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw InputException.invalidArgument(
          "bad-watch", "--every must be 1 to " + MAX_SECONDS + " s, is " + seconds + ".");
    }
    return caller.settings(Objects.requireNonNull(url));
  }

  Duration every() {
    return Duration.ofSeconds(seconds);
  }

  boolean goesOn(int period) {
    return count == null || period < count;
  }
}
