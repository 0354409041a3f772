package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What continuous integration and releases run. */
class WorkflowsTest {
  private static final String RELEASE_VERSION = "distribution/release-version";

  @TempDir private Path folder = Path.of("");

  private static List<JsonNode> steps() throws IOException {
    List<JsonNode> steps = new ArrayList<>();
    try (Stream<Path> files = Files.list(Chart.file(".github/workflows"))) {
      for (Path file : files.toList()) {
        Manifests.parseOne(Files.readString(file))
            .path("jobs")
            .forEach(job -> job.path("steps").forEach(steps::add));
      }
    }
    return steps;
  }

  @Test
  void takeEveryActionAtACommit() throws IOException {
    assertThat(steps().stream().filter(step -> step.has("uses")))
        .isNotEmpty()
        .extracting(step -> step.path("uses").asText())
        .allMatch(action -> action.matches("[^@]+@[0-9a-f]{40}"));
  }

  @Test
  void callScriptsThatAreThereAndCanBeRun() throws IOException {
    Stream<String> commands =
        steps().stream()
            .flatMap(step -> step.path("run").asText().lines())
            .flatMap(line -> Stream.of(line.split(" && ")))
            .map(command -> command.replaceFirst("^([A-Z_]+=\\S+ )+", "").replaceFirst(" .*", ""));

    assertThat(commands.filter(command -> command.contains("/")))
        .contains(".ci/run", "./mvnw", RELEASE_VERSION)
        .allMatch(script -> Files.isExecutable(Chart.file(script)));
  }

  private record Outcome(int exitCode, String output) {}

  private Outcome releaseVersion(String tag) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(folder.resolve(RELEASE_VERSION).toString(), tag)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  /** The files as they are in a release: between releases their version is a snapshot's. */
  @Test
  void releaseOnlyWhatHasTheVersionOfItsTag() throws IOException, InterruptedException {
    List<String> files =
        List.of(
            "pom.xml",
            "deploy/helm/cotenant/Chart.yaml",
            "deploy/krew/cotenant.yaml",
            "python/pyproject.toml",
            "CITATION.cff");
    for (String file : files) {
      Path copy = folder.resolve(file);
      Files.createDirectories(copy.getParent());
      Files.writeString(copy, Chart.read(file).replace("-SNAPSHOT", ""));
    }
    Path script = folder.resolve(RELEASE_VERSION);
    Files.createDirectories(script.getParent());
    Files.copy(Chart.file(RELEASE_VERSION), script, StandardCopyOption.COPY_ATTRIBUTES);
    String version = Manifests.parseOne(Chart.read(files.get(1))).path("version").asText();

    assertThat(releaseVersion("v" + version)).isEqualTo(new Outcome(0, ""));
    Outcome other = releaseVersion("v9.9.9");
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.output().lines())
        .hasSize(files.size() + 1) // the chart has an appVersion too
        .allMatch(line -> line.endsWith("the tag says '9.9.9': set it and tag again."));
    assertThat(files)
        .allMatch(file -> other.output().contains("release-version: " + file + " has version '"));
  }
}
