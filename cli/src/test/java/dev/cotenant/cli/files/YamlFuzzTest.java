package dev.cotenant.cli.files;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.testing.Fuzzer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class YamlFuzzTest {
  private static final String JOB =
      """
      apiVersion: batch/v1
      kind: Job
      metadata: &m {name: x, annotations: {a: '1'}}
      spec:
        template:
          metadata:
            <<: *m
          spec:
            containers:
            - {name: c, resources: {limits: {nvidia.com/gpu: 1}}}
      ---
      kind: Pod
      spec: [2026-01-01, 0x10, ~]
      """;

  @Test
  void letsNothingButInputExceptionsOutOfYaml() throws Exception {
    Fuzzer.run(
        YamlFuzzTarget.class,
        Map.of("job", JOB.getBytes(StandardCharsets.UTF_8)),
        1 << 12,
        Duration.ofSeconds(60));
  }

  @Test
  void namesTheFileOfANumberInBase60ThatIsTooLarge() {
    assertThatThrownBy(() -> YamlDocuments.read("a: 1111111111111111111111:11", "job.yaml", 9))
        .isInstanceOf(InputException.class)
        .hasMessage("job.yaml: is not valid YAML: a number is too large: quote it.");
  }
}
