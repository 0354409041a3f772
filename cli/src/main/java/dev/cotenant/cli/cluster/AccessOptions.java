package dev.cotenant.cli.cluster;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import java.net.URI;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which series of a metrics server are read. */
public final class AccessOptions {
  private static final Pattern UNIT = Pattern.compile("([0-9]{1,12})([KMG]?)");

  @Option(
      names = "--matchers",
      paramLabel = "PROMQL",
      defaultValue = "",
      description = "Added to each selector, such as 'cluster=\"a\"'.")
  private String matchers = "";

  @Option(
      names = "--used-metric",
      paramLabel = "NAME",
      defaultValue = "DCGM_FI_DEV_FB_USED",
      description = "Metric of used memory (default DCGM_FI_DEV_FB_USED).")
  private String used = Metrics.DEFAULT.used();

  @Option(
      names = "--free-metric",
      paramLabel = "NAME",
      defaultValue = "DCGM_FI_DEV_FB_FREE",
      description = "Metric of free memory (default DCGM_FI_DEV_FB_FREE).")
  private String free = Metrics.DEFAULT.free();

  @Option(
      names = "--utilization-metric",
      paramLabel = "NAME",
      defaultValue = "DCGM_FI_DEV_GPU_UTIL",
      description = "Metric of utilization in percent (default DCGM_FI_DEV_GPU_UTIL).")
  private String utilization = Metrics.DEFAULT.utilization();

  @Option(
      names = "--memory-unit",
      paramLabel = "BYTES",
      defaultValue = "1M",
      description =
          "Bytes in one unit of the memory metrics: a number, with K, M, G or no suffix (default"
              + " 1M).")
  private String memoryUnit = "1M";

  @Mixin private CallerOptions caller = new CallerOptions();

  /**
   * The settings of a server.
   *
   * @param adapted takes the settings with these options
   * @throws InputException ({@code bad-server-option}) where an option is out of its range
   */
  public <T> T settings(String url, Function<PrometheusSettings, T> adapted) {
    try {
      PrometheusSettings defaults = PrometheusSettings.of(URI.create(url));
      return adapted.apply(
          new PrometheusSettings(
              defaults.url(),
              new Metrics(used, free, utilization, matchers, bytes(memoryUnit)),
              defaults.range(),
              caller.access(),
              defaults.limits()));
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT,
          "bad-server-option",
          "--prometheus and its options: " + e.getMessage() + ".",
          e);
    }
  }

  /** As the service's configuration: powers of 1,024. */
  private static double bytes(String unit) {
    Matcher matcher = UNIT.matcher(unit);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "--memory-unit must be a number of bytes, such as 1, 1K or 1M, is '" + unit + "'");
    }
    int power = " KMG".indexOf(matcher.group(2).isEmpty() ? " " : matcher.group(2));
    return Double.parseDouble(matcher.group(1)) * Math.pow(1_024, power);
  }
}
