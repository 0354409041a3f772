package dev.cotenant.cli.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodManifestTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void followsAnchorsAndMergeKeys() {
    JsonNode pod =
        read(
            """
            kind: Pod
            x-gpu: &gpu {nvidia.com/gpu: "1", memory: 8Gi}
            spec:
              containers:
              - name: main
                resources:
                  limits: &limits
                    <<: *gpu
                    memory: 16Gi
                  requests: *limits
            """);

    JsonNode resources = pod.at("/spec/containers/0/resources");
    assertThat(resources.path("limits").toString())
        .isEqualTo("{\"nvidia.com/gpu\":\"1\",\"memory\":\"16Gi\"}");
    assertThat(resources.path("requests")).isEqualTo(resources.path("limits"));
  }

  @Test
  void keepsTheTypesThatJsonHas() {
    JsonNode pod =
        read(
            """
            kind: Pod
            a: 1
            b: "1"
            c: true
            d: 1.5
            e:
            f: 2026-11-21T10:00:00Z
            g: 8Gi
            h: 123456789012
            7: [x, ~]
            """);

    assertThat(pod.toString())
        .isEqualTo(
            "{\"kind\":\"Pod\",\"a\":1,\"b\":\"1\",\"c\":true,\"d\":1.5,\"e\":null,"
                + "\"f\":\"2026-11-21T10:00:00Z\",\"g\":\"8Gi\",\"h\":123456789012,"
                + "\"7\":[\"x\",null]}");
  }

  @Test
  void takesEmptyDocumentsForNone() {
    assertThat(read("---\n# a comment\n---\nkind: Pod\n---\n").path("kind").asText())
        .isEqualTo("Pod");
    assertThat(read("{\"kind\": \"Pod\"}").path("kind").asText()).isEqualTo("Pod");
  }

  /** One pod of each template, with the namespace of its controller and a name made from it. */
  @Test
  void readsThePodTemplatesOfControllers() throws IOException {
    List<PodManifest> pods =
        PodManifest.readPods(
            Files.writeString(
                folder.resolve("all.yaml"),
                """
                kind: Service
                metadata: {name: front}
                ---
                kind: Deployment
                metadata: {name: front, namespace: web}
                spec: {replicas: 3, template: {metadata: {labels: {a: b}}, spec: {nodeName: one}}}
                ---
                kind: List
                items:
                - {kind: CronJob, metadata: {name: night}, spec: {jobTemplate: {spec: {template: {}}}}}
                - {kind: JobSet, metadata: {name: train}, spec: {replicatedJobs: [
                    {name: lead, template: {spec: {template: {spec: {nodeName: two}}}}},
                    {name: work, template: {spec: {template: {spec: {nodeName: three}}}}}]}}
                - {kind: PyTorchJob, metadata: {name: ddp}, spec: {pytorchReplicaSpecs: {
                    Master: {template: {}}, Worker: {template: {}}}}}
                - {kind: Job, metadata: {name: once}, spec: {template: {spec: {nodeName: four}}}}
                - {kind: StatefulSet, metadata: {name: db}, spec: {template: {}}}
                - {kind: Pod, metadata: {name: alone}}
                """));

    assertThat(pods.getFirst().pod().toString())
        .isEqualTo(
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"a\":\"b\"},"
                + "\"generateName\":\"front-\",\"namespace\":\"web\"},"
                + "\"spec\":{\"nodeName\":\"one\"}}");
    assertThat(pods.stream().skip(1))
        .extracting(manifest -> manifest.pod().at("/metadata/generateName").asText())
        .containsExactly(
            "night-",
            "train-lead-",
            "train-work-",
            "ddp-Master-",
            "ddp-Worker-",
            "once-",
            "db-",
            "");
  }

  // Columns: the text, with ^ for a line break; what the message says of it.
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "kind: Pod^kind: Job; :2: is not valid YAML: found duplicate key kind.",
        "kind: Pod^a: {b: 1, b: 2}; found duplicate key b",
        "kind: Pod^---^kind: Pod; describes 2 pods",
        "---; describes no pod (it is empty)",
        "``; describes no pod (it is empty)",
        "kind: Job; describes no pod (Job)",
        "kind: Deployment^spec: {template: 7}; describes no pod (Deployment)",
        "kind: JobSet^spec: {replicatedJobs: {a: [1, {b: 2}]}}; describes no pod (JobSet)",
        "kind: Service^---^kind: List^items: [1, {kind: List, items: x}]; (Service, List)",
        "[1, 2]; describes no pod (no kind)",
        "kind: Pod^a: *b; found undefined alias",
        "kind: Pod^a: &a {b: *a}; deeper than 100 levels or larger than 200000",
        "kind: Pod^a: [; is not valid YAML",
        "a: &a [x,x,x,x,x,x,x,x]^b: &b [*a,*a,*a,*a,*a,*a,*a,*a]^c: &c [*b,*b,*b,*b,*b,*b,*b,*b]^d:"
            + " &d [*c,*c,*c,*c,*c,*c,*c,*c]^e: &e [*d,*d,*d,*d,*d,*d,*d,*d]^f:"
            + " [*e,*e,*e,*e,*e,*e,*e]; deeper than 100 levels or larger than 200000",
        "!!java.net.URL [x]; is not valid YAML"
      })
  void saysWhatIsWrongWithAManifest(String text, String message) {
    assertThatThrownBy(() -> read(text.replace('^', '\n')))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith(folder.resolve("pod.yaml").toString())
        .hasMessageContaining(message)
        .message()
        .hasLineCount(1);
  }

  @Test
  void tellsADirectoryFromAFileThatIsNotThere() {
    assertThatThrownBy(() -> PodManifest.read(folder))
        .hasMessage(folder + ": is a directory; name a pod manifest.");
    assertThatThrownBy(() -> PodManifest.read(folder.resolve("no.yaml")))
        .hasMessageContaining("there is no such file");
  }

  private JsonNode read(String text) {
    try {
      return PodManifest.read(Files.writeString(folder.resolve("pod.yaml"), text)).pod();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void refusesAPipeThatMightNeverEnd() throws IOException, InterruptedException {
    Path pipe = folder.resolve("pod.yaml");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor())
        .isZero();
    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () ->
            assertThatThrownBy(() -> PodManifest.read(pipe))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("is not a regular file; name a pod manifest"));
  }
}
