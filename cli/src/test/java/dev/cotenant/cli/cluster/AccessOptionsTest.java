package dev.cotenant.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.forecast.prometheus.PrometheusSettings.Metrics;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class AccessOptionsTest {
  private static Metrics metrics(String... arguments) {
    AccessOptions options = new AccessOptions();
    new CommandLine(options).parseArgs(arguments);
    return options.settings("http://prometheus:9090", settings -> settings).metrics();
  }

  @Test
  void theExportersNamesAndMebibytesAreTheDefault() {
    assertThat(metrics()).isEqualTo(Metrics.DEFAULT);
  }

  @Test
  void otherNamesAndUnitsAreThoseOfRecordingRules() {
    assertThat(
            metrics(
                "--used-metric=gpu:used",
                "--free-metric=gpu:free",
                "--utilization-metric=gpu:busy",
                "--memory-unit=64K",
                "--matchers=cluster=\"a\""))
        .isEqualTo(new Metrics("gpu:used", "gpu:free", "gpu:busy", "cluster=\"a\"", 65_536));
  }
}
