package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The recorded OpenAPI documents beside the one that the service answers. */
@QuarkusTest
@TestProfile(RunningService.class)
class OpenApiDocumentTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path TODAY = RunningService.root().resolve("docs/openapi.json");

  /** As {@code python3 -m json.tool} indents and separates. */
  private static final ObjectWriter WRITER =
      JSON.writer(
          new DefaultPrettyPrinter(
                  Separators.createDefaultInstance()
                      .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                      .withObjectEmptySeparator("")
                      .withArrayEmptySeparator(""))
              .withObjectIndenter(new DefaultIndenter("    ", "\n"))
              .withArrayIndenter(new DefaultIndenter("    ", "\n")));

  private static JsonNode document() throws IOException {
    return JSON.readTree(given().accept("application/json").get("/q/openapi").asByteArray());
  }

  /** Clients are generated from the file, so what it lacks they lack. */
  @Test
  void theFileForClientsIsWhatTheServiceAnswers() throws IOException {
    if (Boolean.getBoolean("cotenant.docs.write")) {
      Files.writeString(TODAY, WRITER.writeValueAsString(document()) + "\n");
    }
    Map<String, JsonNode> recorded = leaves(JSON.readTree(TODAY.toFile()));
    Map<String, JsonNode> served = leaves(document());
    assertThat(recorded).hasSizeGreaterThan(1000);
    List<String> differences =
        served.entrySet().stream()
            .filter(leaf -> !leaf.getValue().equals(recorded.get(leaf.getKey())))
            .map(leaf -> "not as served: " + leaf.getKey())
            .toList();
    assertThat(differences).as("-Dcotenant.docs.write=true renews the file").isEmpty();
    assertThat(recorded.keySet()).as("no longer served").isSubsetOf(served.keySet());
  }

  /** CONTRIBUTING.md says when each is renewed; the one of a release never is. */
  @ParameterizedTest
  @ValueSource(strings = {"docs/openapi.json", "docs/openapi-0.1.json"})
  void takesNothingFromClientsOfARecordedDocument(String file) throws IOException {
    JsonNode recorded = JSON.readTree(RunningService.root().resolve(file).toFile());
    assertThat(recorded.path("paths")).isNotEmpty();
    assertThat(OpenApiChanges.losses(recorded, document())).isEmpty();
  }

  /** Everything without children, by its JSON pointer. */
  private static Map<String, JsonNode> leaves(JsonNode document) {
    Map<String, JsonNode> leaves = new TreeMap<>();
    addLeaves("", document, leaves);
    return leaves;
  }

  private static void addLeaves(String at, JsonNode node, Map<String, JsonNode> leaves) {
    if (node.isEmpty()) { // a value, or an object or array without children
      leaves.put(at, node);
    }
    node.properties()
        .forEach(child ->
            addLeaves(at + "/" + child.getKey().replace("/", "~1"), child.getValue(), leaves));
    for (int index = 0; node.isArray() && index < node.size(); index++) {
      addLeaves(at + "/" + index, node.get(index), leaves);
    }
  }
}
