package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manifest of the kubectl plugin, and the archive that it names. */
class KrewTest {
  private static final Path MANIFEST = Chart.file("deploy/krew/cotenant.yaml");

  @TempDir private Path folder = Path.of("");

  private String run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("COTENANT_KREW_ARCHIVE", folder.resolve("a.tar.gz").toString());
    Process process = builder.start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  @Test
  void namesTheDigestOfWhatIsPacked() throws Exception {
    JsonNode spec = new YAMLMapper().readTree(Files.readString(MANIFEST)).path("spec");
    JsonNode platform = spec.at("/platforms/0");

    assertThat(run(Chart.file("deploy/krew/pack").toString()))
        .as("deploy/krew/pack --write enters it")
        .isEqualTo(platform.path("sha256").asText());
    assertThat(run("tar", "tzf", folder.resolve("a.tar.gz").toString()).lines())
        .containsExactly("LICENSE", platform.path("bin").asText());
    assertThat(platform.path("uri").asText())
        .endsWith("/" + spec.path("version").asText() + "/kubectl-cotenant.tar.gz");
    assertThat(Chart.read("kubectl-cotenant"))
        .contains("\nversion=" + spec.path("version").asText().substring(1) + "\n");
  }
}
