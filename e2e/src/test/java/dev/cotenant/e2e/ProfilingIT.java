package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An unknown pod is measured alone, then gets neighbours, and a restart forgets nothing. */
@ExtendWith(OnStage.class)
class ProfilingIT {
  /** Two minutes alone, and what a slow machine takes to conclude. */
  private static final Duration MEASURED_WITHIN = Duration.ofMinutes(5);

  private static PodManifest training(String name) {
    return PodManifest.named(name).with("model", "resnet18").with("batch-size", "4");
  }

  @AfterEach
  void gpusAreIdle(Stage stage) {
    stage.metrics().idle();
  }

  @Test
  void anUnknownPodIsMeasuredAloneAndThenGetsNeighbours(Stage stage) {
    stage.requireScheduler();
    stage.requireWebhooks();
    String node = stage.names().node("profiled");
    stage.nodes().set(List.of(GpuNode.named(node).offeredEach(3)));
    Pods pods = stage.pods(stage.names().profiling());
    pods.create(training("first"));
    pods.awaitRunning("first");
    JsonNode first = pods.get("first");
    assertThat(first.at(Pods.annotation("profile-time")).asText()).isEqualTo("120s");
    String memory = first.at(Pods.annotation("predicted-memory")).asText();
    stage
        .metrics()
        .busy(
            first.at(Pods.annotation("predicted-utilization-mean")).asDouble(),
            Long.parseLong(memory.replace("Mi", "")));

    pods.create(training("second"));
    Eventually.holds("the GPU is closed", () -> !codes(pods, "second").isEmpty());
    assertThat(codes(pods, "second")).contains("ProfilingInProgress");
    assertThat(pods.isUngated("second")).isFalse();

    Eventually.holds(
        "it is measured",
        MEASURED_WITHIN,
        () -> pods.get("first").at(Pods.annotation("profiled")).asText().equals("measured"));
    pods.awaitRunning("second");
    assertThat(pods.gpu("second")).isEqualTo(pods.gpu("first"));
    assertThat(pods.get("second").at(Pods.annotation("profile-time")).isMissingNode()).isTrue();

    stage.replicas().restart(stage.replicas().deciding());
    stage.replicas().deciding();
    pods.create(training("third"));
    pods.awaitRunning("third");
    assertThat(pods.gpu("third")).isEqualTo(pods.gpu("first"));
    assertThat(pods.get("third").at(Pods.annotation("profile-time")).isMissingNode()).isTrue();
    assertThat(pods.isRunning("first")).isTrue();
    assertThat(events(stage, pods, "Profiled", "first")).isEqualTo(1);
  }

  private static String codes(Pods pods, String name) {
    return pods.get(name).at(Pods.annotation("reason-codes")).asText();
  }

  private static long events(Stage stage, Pods pods, String reason, String pod) {
    return stage.admin().list(pods.events()).stream()
        .filter(event -> event.path("reason").asText().equals(reason))
        .filter(event -> event.at("/involvedObject/name").asText().equals(pod))
        .count();
  }
}
