package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Node and GPU are chosen by a scheduler that calls the extender. */
class SchedulerPlacementIT extends SchedulingScenarios {
  private static @Nullable ExtenderScheduler scheduler;

  @AfterAll
  static void endScheduler() {
    if (scheduler != null) {
      scheduler.close();
    }
  }

  /** Starts the scheduler before the first test; a parameter of a static method is not skipped. */
  @Override
  String namespace(Stage stage) {
    Optional<Path> program = stage.cluster().schedulerProgram();
    stage.abilities().require(program.isPresent(), "and there is no kube-scheduler to start");
    if (scheduler == null) {
      scheduler = ExtenderScheduler.second(stage, program.orElseThrow());
    }
    return stage.names().scheduled();
  }

  @Test
  void thePodNamesTheSchedulerOfItsPolicy(Stage stage) {
    Pods pods = stage.pods(namespace(stage));
    pods.create(PodManifest.named("named"));
    pods.awaitRunning("named");

    assertThat(pods.get("named").at("/spec/schedulerName").asText())
        .isEqualTo(ExtenderScheduler.PROFILE);
    assertThat(pods.gpu("named")).isEqualTo(stage.names().gpu(pods.node("named")));
    assertThat(pods.get("named").at("/spec/nodeSelector").isMissingNode()).isTrue();
  }

  /** GPU capacity starts no preemption, what kube-scheduler counts does. */
  @Test
  void aPodOfHighPriorityPreemptsOneOfLowForItsCpu(Stage stage) {
    stage.createPriorityClass();
    stage
        .nodes()
        .set(List.of(GpuNode.named(stage.names().node("small")).with(2).allocatable("cpu", "8")));
    Pods pods = stage.pods(namespace(stage));
    pods.create(PodManifest.named("low").requesting("cpu", "7"));
    pods.awaitRunning("low");

    pods.create(
        PodManifest.named("urgent")
            .requesting("cpu", "4")
            .ofPriority(stage.names().priorityClass()));

    pods.awaitRunning("urgent");
    assertThat(pods.find("low")).isEmpty();
  }

  @Test
  void podsOfAKilledLeaderAreBound(Stage stage) {
    stage.nodes().set(List.of(GpuNode.named(stage.names().node("a")).with(8)));
    Pods pods = stage.pods(namespace(stage));
    CotenantProcess leader = stage.replicas().deciding();
    stage.replicas().start();
    List<String> before = createAll(pods, "before-", 4);

    stage.replicas().kill(leader);
    List<String> after = createAll(pods, "after-", 4);

    before.forEach(pods::awaitRunning);
    after.forEach(pods::awaitRunning);
  }

  private static List<String> createAll(Pods pods, String prefix, int number) {
    return java.util.stream.IntStream.rangeClosed(1, number)
        .mapToObj(i -> prefix + i)
        .peek(name -> pods.create(PodManifest.named(name)))
        .toList();
  }
}
