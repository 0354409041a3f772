package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Node and GPU are chosen by the cluster's own scheduler, which calls the extender. */
class DefaultSchedulerIT extends SchedulingScenarios {
  private static @Nullable ExtenderScheduler scheduler;
  private static @Nullable Cluster cluster;

  @AfterAll
  static void restoreTheScheduler() {
    if (scheduler != null && cluster != null) {
      scheduler.close();
      cluster.startScheduler();
    }
  }

  /** Replaces the scheduler before the first test. */
  @Override
  String namespace(Stage stage) {
    Optional<Path> program = stage.cluster().schedulerProgram();
    stage.abilities().require(program.isPresent(), "and there is no kube-scheduler to start");
    if (scheduler == null) {
      cluster = stage.cluster();
      scheduler = ExtenderScheduler.byDefault(stage, program.orElseThrow());
    }
    return stage.names().scheduledByDefault();
  }

  @Test
  void aPodIsBoundWithItsGrant(Stage stage) {
    Pods pods = stage.pods(namespace(stage));
    pods.create(PodManifest.named("bound"));
    pods.awaitRunning("bound");

    assertThat(pods.get("bound").at("/spec/schedulerName").asText())
        .isEqualTo(KubeScheduler.DEFAULT);
    assertThat(pods.get("bound").at("/spec/nodeSelector").isMissingNode()).isTrue();
    assertThat(pods.gpu("bound")).isEqualTo(stage.names().gpu(pods.node("bound")));
  }

  /** Their resources are not among those that the extender manages. */
  @Test
  void podsWithoutGpusAreScheduledWhileNoReplicaLeads(Stage stage) {
    Pods pods = stage.pods(namespace(stage));
    stage.replicas().close();
    pods.create(PodManifest.named("waits"));
    pods.create(PodManifest.named("plain").withoutGpu());
    pods.awaitRunning("plain");
    assertThat(pods.get("waits").at("/spec/nodeName").isMissingNode()).isTrue();

    stage.replicas().one();
    pods.awaitRunning("waits");
    assertThat(pods.gpu("waits")).isNotEmpty();
  }
}
