package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The recording rules of examples/chargeback. */
class ChargebackRulesTest {
  @Test
  void addUpGpusHoursAndMoney() throws IOException, InterruptedException {
    Path promtool = OutsideData.requirePackage("prometheus", Path.of("/usr/bin/promtool"));
    Path cases = Chart.file("examples/chargeback/rules.test.yaml");

    Process process =
        new ProcessBuilder(promtool.toString(), "test", "rules", cases.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(said).isZero();
  }

  /** Of ours they read what the collector makes. */
  @Test
  void readTheMetricsThatThereAre() throws IOException {
    String collector =
        Files.readString(
            Chart.file("service/src/main/java/dev/cotenant/service/chargeback/Chargeback.java"));

    assertThat(Files.readString(Chart.file("examples/chargeback/rules.yaml")))
        .contains("cotenant_gpu_share_ratio");
    assertThat(collector).contains("\"cotenant_gpu_share_ratio\"");
  }
}
