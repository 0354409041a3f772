package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What holds whatever the values: every file in src/test/resources/values is rendered and checked.
 */
class CombinationsTest {
  private static final List<String> CLUSTER_WIDE =
      List.of(
          "ClusterRole",
          "ClusterRoleBinding",
          "MutatingWebhookConfiguration",
          "ValidatingAdmissionPolicy",
          "ValidatingAdmissionPolicyBinding",
          "ValidatingWebhookConfiguration");

  static Stream<Path> combinations() throws IOException {
    try (Stream<Path> files = Files.list(Chart.file("deploy/src/test/resources/values"))) {
      return files.sorted().toList().stream();
    }
  }

  @Test
  void helmFindsNothingToComplainAbout() {
    LintResult result = Chart.lint();

    assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
    assertThat(result.getMessages()).noneMatch(message -> message.startsWith("[WARNING]"));
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void makesObjectsThatTheApiKnowsAndThatFitTogether(Path file) {
    String values = Chart.read(file);
    Manifests objects = Chart.render(values);

    objects.documents().forEach(Types::read);
    objects.documents().forEach(CombinationsTest::metadata);
    PodRules.check(objects);
    new References(objects, values).check();
    Permissions.check(objects);
    MatchConditions.check(objects);
  }

  /** The role is in {@code kube-system}, and so is its binding. */
  private static boolean readsAuthentication(JsonNode object) {
    return object
        .path("roleRef")
        .path("name")
        .asText()
        .equals("extension-apiserver-authentication-reader");
  }

  private static void metadata(JsonNode object) {
    JsonNode metadata = object.path("metadata");
    boolean clusterWide = CLUSTER_WIDE.contains(object.path("kind").asText());
    assertThat(metadata.has("namespace")).as(Manifests.name(object)).isNotEqualTo(clusterWide);
    assertThat(metadata.path("namespace").asText(Chart.NAMESPACE))
        .isEqualTo(readsAuthentication(object) ? "kube-system" : Chart.NAMESPACE);
    assertThat(metadata.path("name").asText()).matches("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");
    JsonNode labels = metadata.path("labels");
    assertThat(labels.path("app.kubernetes.io/name").asText()).isEqualTo("cotenant");
    assertThat(labels.path("app.kubernetes.io/instance").asText()).isEqualTo(Chart.RELEASE);
    labels.forEach(label -> assertThat(label.isTextual()).isTrue());
    metadata.path("annotations").forEach(value -> assertThat(value.isTextual()).isTrue());
  }
}
