package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the webhooks do to pods, called by an API server with the configurations of the chart. */
@ExtendWith(OnStage.class)
class AdmissionIT {
  private static final String TOKEN = Pods.annotation("admission-id");

  @BeforeEach
  void needsWebhooks(Stage stage) {
    stage.requireWebhooks();
  }

  @Test
  void gatesAPodThatAsksForAGpu(Stage stage) {
    JsonNode pod = stage.pods().create(PodManifest.named("gated"));

    assertThat(Pods.hasGate(pod)).isTrue();
    assertThat(pod.at(TOKEN).asText()).isNotEmpty();
    assertThat(pod.at(Pods.annotation("request")).asText())
        .isEqualTo("dialect=nvidia gpus=1 container=main");
  }

  @Test
  void leavesOthersAlone(Stage stage) {
    Pods outside = new Pods(stage.admin(), stage.names().outside());
    assertUntouched(outside.create(PodManifest.named("elsewhere")));
    assertUntouched(stage.pods().create(PodManifest.named("opted-out").optedOut()));
    assertUntouched(stage.pods().create(PodManifest.named("without-gpu").withoutGpu()));
  }

  private static void assertUntouched(JsonNode pod) {
    assertThat(Pods.hasGate(pod)).isFalse();
    assertThat(pod.at(TOKEN).isMissingNode()).isTrue();
  }

  @Test
  void aDryRunIsAnsweredAndLeavesNothingBehind(Stage stage) {
    Kube.Answer answer =
        stage
            .admin()
            .create(
                stage.pods().path() + "?dryRun=All", PodManifest.named("dry").json().toString());

    assertThat(Pods.hasGate(answer.required())).isTrue();
    assertThat(stage.pods().find("dry")).isEmpty();
  }

  @Test
  void refusesWhatCannotBeUnderstoodAndSaysWhat(Stage stage) {
    Kube.Answer answer =
        stage.pods().tryCreate(PodManifest.named("bad").with("batch-size", "many"));

    assertThat(answer.isSuccessful()).isFalse();
    assertThat(answer.message()).contains("cotenant.dev/batch-size", "many");
  }

  @Test
  void refusesWhatFitsOnNoGpuAndSaysWhy(Stage stage) {
    Kube.Answer answer =
        stage.pods().tryCreate(PodManifest.named("vast").with("gpu-memory", "500Gi"));

    assertThat(answer.isSuccessful()).isFalse();
    assertThat(answer.message())
        .contains("cotenant: pod", "NoCandidateGpu", "of memory, the largest has");
  }

  @Test
  void removesGrantsThatAPodBringsAlong(Stage stage) {
    JsonNode pod =
        stage.pods().create(PodManifest.named("copied").with("assigned-gpu", "GPU-of-others"));

    assertThat(Pods.hasGate(pod)).isTrue();
    assertThat(pod.at(Pods.annotation("assigned-gpu")).isMissingNode()).isTrue();
  }

  @Test
  void nobodyElseWritesGrants(Stage stage) {
    stage.pods().create(PodManifest.named("guarded"));
    stage.pods().awaitUngated("guarded");
    String forged = "{\"metadata\": {\"annotations\": {\"cotenant.dev/assigned-gpu\": \"GPU-x\"}}}";
    String path = stage.pods().path("guarded");

    assertRefused(stage.admin().merge(path, forged), "cotenant.dev/assigned-gpu");
    assertRefused(stage.admin().merge(path + "/status", forged), "cotenant.dev/assigned-gpu");
    assertRefused(
        stage
            .admin()
            .create(
                path + "/binding",
                """
                {"apiVersion": "v1", "kind": "Binding", "target": {"kind": "Node", "name": "n"},
                 "metadata": {"name": "guarded", "annotations": {
                   "cotenant.dev/assigned-gpu": "GPU-x"}}}
                """),
        "cotenant.dev/assigned-gpu");
  }

  @Test
  void nobodyElseRemovesTheGate(Stage stage) {
    stage.fill();
    stage.pods().create(PodManifest.named("held"));

    Kube.Answer answer =
        stage
            .admin()
            .jsonPatch(
                stage.pods().path("held"),
                "[{\"op\": \"remove\", \"path\": \"/spec/schedulingGates/0\"}]");

    assertRefused(answer, "cotenant.dev/colocation");
    assertThat(stage.pods().isUngated("held")).isFalse();
  }

  private static void assertRefused(Kube.Answer answer, String named) {
    assertThat(answer.isSuccessful()).as(answer.body().toString()).isFalse();
    assertThat(answer.message()).contains("denied the request", named);
  }

  @Test
  void anybodyChangesWhatIsTheirs(Stage stage) {
    stage.pods().create(PodManifest.named("labelled"));
    stage.pods().awaitUngated("labelled");

    stage
        .admin()
        .merge(
            stage.pods().path("labelled"),
            "{\"metadata\": {\"labels\": {\"a\": \"b\"}, \"annotations\": {\"c\": \"d\"}}}")
        .required();
  }
}
