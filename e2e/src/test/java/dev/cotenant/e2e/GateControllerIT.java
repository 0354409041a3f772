package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** When pods are ungated, and their status reports. */
@ExtendWith(OnStage.class)
class GateControllerIT {
  @Test
  void grantsAGpuAndSaysWhere(Stage stage) {
    JsonNode created = stage.createHeld(PodManifest.named("first"));
    stage.pods().awaitUngated("first");

    JsonNode granted = stage.pods().get("first");
    String node = granted.at("/spec/nodeSelector/kubernetes.io~1hostname").asText();
    assertThat(node).isIn(stage.names().nodes());
    assertThat(granted.at(Pods.annotation("assigned-node")).asText()).isEqualTo(node);
    assertThat(stage.pods().gpu("first")).isEqualTo(stage.names().gpu(node));
    assertThat(granted.at(Pods.annotation("admission-id")))
        .isEqualTo(created.at(Pods.annotation("admission-id")));
  }

  @Test
  void podsOfKnownModelsShareAGpu(Stage stage) {
    stage
        .nodes()
        .set(
            stage.names().nodes().stream()
                .map(name -> GpuNode.named(name).offeredEach(2))
                .toList());
    stage.createHeld(PodManifest.named("whole"));
    stage.pods().awaitUngated("whole");
    for (String name : List.of("small-1", "small-2")) {
      stage.createHeld(PodManifest.named(name).sharing());
      stage.pods().awaitUngated(name);
    }

    assertThat(stage.pods().gpu("small-1"))
        .isEqualTo(stage.pods().gpu("small-2"))
        .isNotEqualTo(stage.pods().gpu("whole"));
  }

  @Test
  void letsTheMoreImportantGoFirst(Stage stage) {
    stage.createPriorityClass();
    List<String> full = stage.fill();
    stage.createHeld(PodManifest.named("patient"));
    stage.createHeld(PodManifest.named("urgent").ofPriority(stage.names().priorityClass()));
    stage.pods().awaitReason("patient");
    stage.pods().awaitReason("urgent");

    stage.pods().delete(full.getFirst());
    stage.pods().awaitUngated("urgent");
    assertThat(stage.pods().isUngated("patient")).isFalse();

    stage.pods().delete(full.getLast());
    stage.pods().awaitUngated("patient");
    stage.pods().assertNoGpuIsGrantedTwice();
  }

  @Test
  void saysWhyAPodWaits(Stage stage) {
    stage.fill();
    stage.createHeld(PodManifest.named("waits"));
    stage.pods().awaitReason("waits");

    Eventually.holds(
        "there is an event",
        () ->
            events(stage).stream()
                .anyMatch(event ->
                    event.at("/involvedObject/name").asText().equals("waits")
                        && !event.path("message").asText().isEmpty()));
    CotenantProcess service = stage.replicas().deciding();
    assertThat(service.get("/v1/explain/" + stage.names().team() + "/waits")).startsWith("200 ");
    assertThat(service.get("/v1/queue")).contains("waits");
  }

  private static List<JsonNode> events(Stage stage) {
    return stage.admin().list("/api/v1/namespaces/" + stage.names().team() + "/events");
  }

  @Test
  void aPodThatHasEndedTakesNoCapacity(Stage stage) {
    List<String> full = stage.fill();
    stage.createHeld(PodManifest.named("next"));
    stage.pods().awaitReason("next");
    stage.pods().bind(full.getFirst());

    stage.pods().status(full.getFirst(), "{\"phase\": \"Succeeded\"}");

    stage.pods().awaitUngated("next");
    assertThat(stage.pods().gpu("next")).isEqualTo(stage.pods().gpu(full.getFirst()));
  }

  @Test
  void aPodThatRanOutOfMemoryMakesWayForAnother(Stage stage) {
    String pod = stage.workloads().deploy("greedy", 1, held(stage, "greedy")).getFirst();
    stage.pods().awaitUngated(pod);
    stage.pods().bind(pod);

    stage
        .pods()
        .status(
            pod,
            """
            {"phase": "Running", "containerStatuses": [{"name": "main", "ready": false,
               "restartCount": 1, "image": "x", "imageID": "x",
               "state": {"waiting": {"reason": "CrashLoopBackOff"}},
               "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]}
            """);

    Eventually.holds("it is deleted", () -> !stage.workloads().podsOf("greedy").contains(pod));
    if (stage.workloads().areAlive()) {
      stage.pods().awaitUngated(stage.workloads().awaitPods("greedy", 1).getFirst());
    }
  }

  private static PodManifest held(Stage stage, String name) {
    return stage.gatedUnlessReached(PodManifest.named(name));
  }
}
