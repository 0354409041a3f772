package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alerts go off when they should, as Prometheus' own tool for rules sees it. */
class AlertsTest {
  @TempDir private Path folder;

  /** Without client certificates every pod may send a review that cannot be parsed. */
  @Test
  void reviewsOfAnonymousClientsRaiseNone() {
    assertThat(failOpenPods("prometheusRule: {enabled: true}"))
        .contains("unmanaged_pods_detected")
        .doesNotContain("failed_open");
    assertThat(
            failOpenPods(
                "{prometheusRule: {enabled: true}, webhook: {clientCa: {secret: authority}}}"))
        .contains("unmanaged_pods_detected", " or ", "failed_open");
  }

  private static String failOpenPods(String values) {
    return Chart.render(values)
        .ofKind("PrometheusRule")
        .flatMap(rule -> rule.findValues("rules").stream())
        .flatMap(rules -> StreamSupport.stream(rules.spliterator(), false))
        .filter(rule -> rule.path("alert").asText().equals("CotenantFailOpenPods"))
        .map(rule -> rule.path("expr").asText())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void goOffWhenTheyShouldAndNotBefore() throws IOException, InterruptedException {
    Path promtool = OutsideData.requirePackage("prometheus", Path.of("/usr/bin/promtool"));
    Files.writeString(
        folder.resolve("rules.yml"),
        new YAMLMapper()
            .writeValueAsString(
                Chart.render("prometheusRule: {enabled: true}")
                    .ofKind("PrometheusRule")
                    .findFirst()
                    .orElseThrow()
                    .path("spec")));
    Path cases =
        Files.copy(
            Chart.file("deploy/src/test/resources/alerts.yaml"), folder.resolve("alerts.yaml"));

    Process process =
        new ProcessBuilder(promtool.toString(), "test", "rules", cases.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(said).isZero();
  }
}
