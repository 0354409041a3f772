package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pods of the documents of each sharing layer, filled and capped on the way into an API server: as
 * the goldens of the admission module say but for the numbers, which are those of the predictor.
 */
@ExtendWith(OnStage.class)
class DialectsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RESOURCES = "/spec/containers/0/resources";
  private static final String ANNOTATIONS = "/metadata/annotations";

  @ParameterizedTest
  @ValueSource(strings = {"fill", "cap"})
  void documentedPodsAreTakenAndChangedAsTheirGoldensSay(String mode, Stage stage)
      throws IOException {
    stage.requireWebhooks();
    Path resources = stage.root().resolve("admission/src/test/resources");
    Pods pods = stage.pods(mode.equals("fill") ? stage.names().filling() : stage.names().capping());
    try (Stream<Path> files = Files.list(resources.resolve("fill"))) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString().replace(".json", "");
        String golden = Files.readString(resources.resolve("golden/fill/" + name + ".txt"));
        ObjectNode pod = pod(name, file);

        Kube.Answer created = stage.admin().create(pods.path(), pod.toString());

        assertThat(created.isSuccessful()).as("%s: %s", name, created.body()).isTrue();
        assertIs(section(golden, mode), created, asItIs(stage, pod), name);
      }
    }
  }

  /** Named as its file, with whole GPUs turned into the dialect that its file is named by. */
  private static ObjectNode pod(String name, Path file) throws IOException {
    ObjectNode pod = (ObjectNode) JSON.readTree(file.toFile());
    ObjectNode metadata = pod.withObjectProperty("metadata").put("name", name);
    metadata.remove("namespace");
    metadata
        .withObjectProperty("annotations")
        .put("cotenant.dev/fill", name.substring(0, name.indexOf('-')));
    return pod;
  }

  /** What the golden has of a mode: the outcome, changes and warnings, each on its line. */
  private static String section(String golden, String mode) {
    Matcher section = Pattern.compile("in mode " + mode + ":\n((?:  .*\n)+)").matcher(golden);
    assertThat(section.find()).as(golden).isTrue();
    return section.group(1);
  }

  /** The pod where nobody fills, with the server's way of writing amounts. */
  private static JsonNode asItIs(Stage stage, ObjectNode pod) {
    Pods outside = stage.pods(stage.names().outside());
    return stage.admin().create(outside.path() + "?dryRun=All", pod.toString()).required();
  }

  private static void assertIs(String expected, Kube.Answer created, JsonNode plain, String name) {
    JsonNode pod = created.body();
    String filled = pod.at(Pods.annotation("filled")).asText();
    if (expected.startsWith("  stated\n")) {
      assertThat(pod.at(RESOURCES)).as(name).isEqualTo(plain.at(RESOURCES));
      assertThat(pod.at(ANNOTATIONS)).as(name).isEqualTo(plain.at(ANNOTATIONS));
    } else {
      assertThat(filled).as(name).contains("\"wrote\":", "predicted at most");
    }
    if (expected.startsWith("  lowered\n")) {
      assertThat(filled).as(name).contains("\"was\":");
    }
    for (String warning : List.of("cotenant: states ", "cotenant: lowered from ")) {
      assertThat(created.warnings().toString().contains(warning))
          .as("%s: %s", name, created.warnings())
          .isEqualTo(expected.contains(warning));
    }
  }
}
