package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of pods when replicas come and go. */
@ExtendWith(OnStage.class)
class ReplicasIT {
  @Test
  void aRestartForgetsNothing(Stage stage) {
    List<String> full = stage.fill();
    List<String> held = List.of("held-1", "held-2");
    held.forEach(name -> stage.createHeld(PodManifest.named(name)));
    stage.replicas().kill(stage.replicas().deciding());
    full.forEach(name -> assertThat(stage.pods().isUngated(name)).isTrue());

    stage.replicas().start();
    stage.replicas().deciding();
    held.forEach(name -> assertThat(stage.pods().isUngated(name)).isFalse());

    full.forEach(stage.pods()::delete);
    held.forEach(stage.pods()::awaitUngated);
    stage.pods().assertNoGpuIsGrantedTwice();
  }

  @Test
  void anotherReplicaTakesOverWhenTheLeaderIsKilled(Stage stage) {
    CotenantProcess first = stage.replicas().deciding();
    CotenantProcess second = stage.replicas().start();
    stage.createHeld(PodManifest.named("before"));
    stage.pods().awaitUngated("before");
    assertThat(first.metric("cotenant_leader")).isEqualTo(1);
    assertThat(second.metric("cotenant_leader")).isZero();

    stage.replicas().kill(first);
    stage.createHeld(PodManifest.named("meanwhile"));
    Eventually.holds("the second decides", second::isDeciding);

    stage.pods().awaitUngated("meanwhile");
    assertThat(second.metric("cotenant_leader")).isEqualTo(1);
    stage.pods().assertNoGpuIsGrantedTwice();
  }

  @Test
  void aLeaderThatEndsHandsOverAtOnce(Stage stage) {
    CotenantProcess first = stage.replicas().deciding();
    CotenantProcess second = stage.replicas().start();

    stage.replicas().end(first);

    Eventually.holds("the second decides", second::isDeciding);
    stage.createHeld(PodManifest.named("after"));
    stage.pods().awaitUngated("after");
  }

  @Test
  void webhooksThatAreDownLetPodsThroughAndThatIsSeen(Stage stage) {
    stage.requireWebhooks();
    stage.replicas().close();
    JsonNode missed = stage.pods().create(PodManifest.named("missed"));
    assertThat(Pods.hasGate(missed)).isFalse();
    assertThat(missed.at(Pods.annotation("admission-id")).isMissingNode()).isTrue();
    stage.pods().bind("missed", stage.names().nodes().getFirst());

    CotenantProcess again = stage.replicas().start();
    Eventually.holds(
        "it is counted", () -> again.metric("cotenant_unmanaged_pods_detected_total") >= 1);
  }
}
