package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pods that controllers make. */
@ExtendWith(OnStage.class)
class WorkloadsIT {
  @Test
  void thePodsOfADeploymentAreGrantedEachForItself(Stage stage) {
    int replicas = stage.names().nodes().size();
    List<String> pods = stage.workloads().deploy("infer", replicas + 1, pod(stage, "infer"));
    assertThat(pods).hasSize(replicas + 1);

    dev.cotenant.admission.kubernetes.testing.Eventually.holds(
        "as many are ungated as there are GPUs",
        () -> pods.stream().filter(stage.pods()::isUngated).count() == replicas);
    String waiting =
        pods.stream().filter(name -> !stage.pods().isUngated(name)).findFirst().orElseThrow();
    stage.pods().awaitReason(waiting);
    stage.pods().assertNoGpuIsGrantedTwice();
  }

  @Test
  void theCapacityOfAJobThatIsDeletedIsAnothers(Stage stage) {
    stage.fill().stream().skip(1).forEach(stage.pods()::delete);
    String first = stage.workloads().run("train", pod(stage, "train"));
    stage.pods().awaitUngated(first);
    String second = stage.workloads().run("later", pod(stage, "later"));
    stage.pods().awaitReason(second);

    stage.workloads().deleteJob("train");

    stage.pods().awaitUngated(second);
  }

  private static PodManifest pod(Stage stage, String name) {
    return stage.gatedUnlessReached(PodManifest.named(name));
  }
}
