package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A violated objective is acted on once, and a restart forgets nothing. */
@ExtendWith(OnStage.class)
class GuardIT {
  /** A minute beyond the limit, measured once a minute, on a slow machine. */
  private static final Duration FOUND_WITHIN = Duration.ofMinutes(5);

  private static PodManifest server(String name) {
    return PodManifest.named(name)
        .with("model", "resnet18")
        .with("batch-size", "1")
        .with("slo-latency", "500ms")
        .with("request-rate", "5")
        .with("latency-metric", "p99(request_seconds)");
  }

  @AfterEach
  void nothingIsMeasured(Stage stage) {
    stage.metrics().latency(Double.NaN);
    stage.metrics().idle();
  }

  @Test
  void evictsTheMostRecentlyStartedPodOnceAndAvoidsThePair(Stage stage) {
    stage.requireScheduler();
    stage.requireWebhooks();
    stage.nodes().set(List.of(GpuNode.named(stage.names().node("guarded")).offeredEach(2)));
    Pods pods = stage.pods(stage.names().evicting());
    Workloads workloads = stage.workloads(stage.names().evicting());
    pods.create(server("old"));
    pods.awaitRunning("old");
    PodManifest movable = server("newcomer").with("batch-size", "2").with("on-slowdown", "evict");
    String newcomer = workloads.deploy("newcomer", 1, movable).getFirst();
    pods.awaitRunning(newcomer);
    assertThat(pods.gpu(newcomer)).isEqualTo(pods.gpu("old"));

    stage.metrics().latency(2);

    Eventually.holds("it is evicted", FOUND_WITHIN, () -> pods.find(newcomer).isEmpty());
    String next = workloads.awaitPods("newcomer", 1).getFirst();
    Eventually.holds("the pair has anti-affinity", () -> codes(pods, next).contains("PairAvoided"));
    assertThat(events(stage, pods, "ObjectiveViolated", "old")).isEqualTo(1);
    assertThat(events(stage, pods, "Moved", newcomer)).isEqualTo(1);

    stage.replicas().kill(stage.replicas().deciding());
    stage.replicas().start();
    stage.replicas().deciding();
    String waiting =
        pods.create(server("waiting").with("batch-size", "2")).at("/metadata/name").asText();
    Eventually.holds("it is not forgotten", () -> codes(pods, waiting).contains("PairAvoided"));
    assertThat(pods.isRunning("old")).isTrue();
    assertThat(pods.isUngated(next)).isFalse();
    assertThat(events(stage, pods, "ObjectiveViolated", "old")).isEqualTo(1);
  }

  private static PodManifest training(String name) {
    return PodManifest.named(name)
        .with("model", "resnet18")
        .with("batch-size", "8")
        .with("max-slowdown", "2.20")
        .with("speed-metric", "rate(steps_total)");
  }

  /**
   * The two minutes alone are all that is known of its speed; a pair is predicted to take twice as
   * long.
   */
  @Test
  void evictsTheNewcomerThatSlowsAPodMeasuredAlone(Stage stage) {
    stage.requireScheduler();
    stage.requireWebhooks();
    stage.nodes().set(List.of(GpuNode.named(stage.names().node("slowed")).offeredEach(2)));
    Pods pods = stage.pods(stage.names().profiling());
    Workloads workloads = stage.workloads(stage.names().profiling());
    stage.metrics().speed(100);
    pods.create(training("measured"));
    pods.awaitRunning("measured");
    JsonNode measured = pods.get("measured");
    stage
        .metrics()
        .busy(
            measured.at(Pods.annotation("predicted-utilization-mean")).asDouble(),
            Long.parseLong(
                measured.at(Pods.annotation("predicted-memory")).asText().replace("Mi", "")));
    Eventually.holds(
        "it is measured",
        FOUND_WITHIN,
        () -> pods.get("measured").at(Pods.annotation("profiled")).asText().equals("measured"));
    String newcomer =
        workloads.deploy("joining", 1, training("joining").with("on-slowdown", "evict")).getFirst();
    pods.awaitRunning(newcomer);
    assertThat(pods.gpu(newcomer)).isEqualTo(pods.gpu("measured"));

    stage.metrics().speed(30);

    Eventually.holds("it is evicted", FOUND_WITHIN, () -> pods.find(newcomer).isEmpty());
    String next = workloads.awaitPods("joining", 1).getFirst();
    Eventually.holds("the pair has anti-affinity", () -> codes(pods, next).contains("PairAvoided"));
    stage.replicas().kill(stage.replicas().deciding());
    stage.replicas().start();
    stage.replicas().deciding();
    Eventually.holds("it is not forgotten", () -> codes(pods, next).contains("PairAvoided"));
    assertThat(pods.isRunning("measured")).isTrue();
    assertThat(pods.isUngated(next)).isFalse();
    assertThat(events(stage, pods, "ObjectiveViolated", "measured")).isEqualTo(1);
    assertThat(events(stage, pods, "Moved", newcomer)).isEqualTo(1);
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
