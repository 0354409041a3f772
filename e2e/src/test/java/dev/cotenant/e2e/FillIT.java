package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Predicted memory in the requests of pods that other sharing layers place. */
@ExtendWith(OnStage.class)
class FillIT {
  private static final String FILLED = Pods.annotation("filled");
  private static final String LIMITS = "/spec/containers/0/resources/limits";
  private static final String MEMORY = LIMITS + "/nvidia.com~1gpumem";

  /** A container before all others, and another batch. */
  private static final String PATCH =
      """
      [{"op": "add", "path": "/spec/containers/0", "value": {"name": "injected", "image": "i"}},
       {"op": "add", "path": "/metadata/annotations/cotenant.dev~1batch-size", "value": "256"}]
      """;

  @BeforeEach
  void needsWebhooks(Stage stage) {
    stage.requireWebhooks();
  }

  private static Pods pods(Stage stage) {
    return stage.pods(stage.names().filling());
  }

  @Test
  void writesLimitsRequestsAndTheRecordOnce(Stage stage) {
    JsonNode pod = pods(stage).create(PodManifest.named("filled").sharing());

    long memory = pod.at(MEMORY).asLong();
    assertThat(memory).isGreaterThan(500);
    assertThat(pod.at("/spec/containers/0/resources/requests/nvidia.com~1gpumem").asLong())
        .isEqualTo(memory);
    assertThat(pod.at(LIMITS + "/nvidia.com~1gpu").asText()).isEqualTo("1");
    assertThat(pod.at(FILLED).asText()).contains("predicted at most", "99 % of cases");
    assertThat(Pods.hasGate(pod)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "volcano, volcano.sh~1vgpu-memory",
    "koordinator, koordinator.sh~1gpu-memory",
    "gpushare, aliyun.com~1gpu-mem"
  })
  void turnsWholeGpusIntoOtherDialects(String dialect, String name, Stage stage) {
    JsonNode pod = pods(stage).create(PodManifest.named(dialect).sharing().with("fill", dialect));

    assertThat(pod.at(LIMITS + "/" + name).asLong()).isPositive();
    assertThat(pod.at(LIMITS + "/nvidia.com~1gpu").isMissingNode()).isTrue();
    assertThat(pod.at("/spec/containers/0/resources/requests/" + name))
        .isEqualTo(pod.at(LIMITS + "/" + name));
  }

  @Test
  void turnsWholeGpusIntoAnnotationsOfKai(Stage stage) {
    JsonNode pod = pods(stage).create(PodManifest.named("kai").sharing().with("fill", "kai"));

    assertThat(pod.at("/metadata/annotations/gpu-memory").asLong()).isPositive();
    assertThat(pod.at("/spec/containers/0/resources").toString()).doesNotContain("nvidia.com/gpu");
  }

  /** Called before ours and after ours, another webhook leaves the pod as if it had made it so. */
  @ParameterizedTest
  @CsvSource({
    "a, hami, /spec/containers/%d/resources/limits/nvidia.com~1gpumem",
    "z, hami, /spec/containers/%d/resources/limits/nvidia.com~1gpumem",
    "a, volcano, /spec/containers/%d/resources/limits/volcano.sh~1vgpu-memory",
    "z, volcano, /spec/containers/%d/resources/limits/volcano.sh~1vgpu-memory",
    "a, koordinator, /spec/containers/%d/resources/limits/koordinator.sh~1gpu-memory",
    "z, koordinator, /spec/containers/%d/resources/limits/koordinator.sh~1gpu-memory",
    "a, gpushare, /spec/containers/%d/resources/limits/aliyun.com~1gpu-mem",
    "z, gpushare, /spec/containers/%d/resources/limits/aliyun.com~1gpu-mem",
    "a, kai, /metadata/annotations/gpu-memory",
    "z, kai, /metadata/annotations/gpu-memory"
  })
  void isRightInEitherOrder(String prefix, String dialect, String memory, Stage stage) {
    JsonNode expected = pods(stage).create(sharing("alone", dialect).with("batch-size", "256"));
    JsonNode before = pods(stage).create(sharing("small", dialect)).at(memory.formatted(0));
    String namespace = stage.names().filling();
    try (OtherWebhook _ = new OtherWebhook(stage, namespace, prefix, _ -> PATCH)) {
      Eventually.holds(
          "the other webhook is called",
          () -> {
            pods(stage).delete("both");
            Kube.Answer created = pods(stage).tryCreate(sharing("both", dialect));
            return created.body().at("/spec/containers").size() == 2;
          });
    }
    JsonNode both = pods(stage).get("both");

    assertThat(both.at(memory.formatted(1))).isEqualTo(expected.at(memory.formatted(0)));
    assertThat(expected.at(memory.formatted(0)).asText()).isNotEmpty();
    assertThat(expected.at(memory.formatted(0))).isNotEqualTo(before);
    assertThat(both.at(FILLED)).isEqualTo(expected.at(FILLED));
  }

  private static PodManifest sharing(String name, String dialect) {
    return PodManifest.named(name).sharing().with("fill", dialect);
  }

  @Test
  void theFailureOfAnotherWebhookChangesNothing(Stage stage) {
    try (OtherWebhook other = new OtherWebhook(stage, stage.names().filling(), "z", _ -> PATCH)) {
      other.fail();
      JsonNode pod = pods(stage).create(PodManifest.named("beside").sharing());

      assertThat(pod.at(MEMORY).asLong()).isPositive();
    }
  }

  @Test
  void ourFailureLeavesPodsAsTheyAre(Stage stage) {
    stage.replicas().close();

    JsonNode pod = pods(stage).create(PodManifest.named("unfilled").sharing());

    assertThat(pod.at(FILLED).isMissingNode()).isTrue();
    assertThat(pod.at(MEMORY).isMissingNode()).isTrue();
  }

  @Test
  void aDryRunShowsWhatWouldBeWritten(Stage stage) {
    Kube.Answer answer =
        stage
            .admin()
            .create(
                pods(stage).path() + "?dryRun=All",
                PodManifest.named("dry").sharing().json().toString());

    assertThat(answer.required().at(MEMORY).asLong()).isPositive();
    assertThat(pods(stage).find("dry")).isEmpty();
  }

  /** Pods are filled, templates never: once the webhooks are gone, so is everything. */
  @Test
  void podsOfDeploymentsAndJobsAreFilledUntilItIsUninstalled(Stage stage) {
    Workloads workloads = stage.workloads(stage.names().filling());
    String infer = workloads.deploy("infer", 1, PodManifest.named("infer").sharing()).getFirst();
    String train = workloads.run("train", PodManifest.named("train").sharing());
    assertThat(pods(stage).get(infer).at(MEMORY).asLong()).isPositive();
    assertThat(pods(stage).get(train).at(MEMORY).asLong()).isPositive();

    stage.release().removeWebhooks(stage.admin());

    String later = workloads.run("later", PodManifest.named("later").sharing());
    assertThat(pods(stage).get(later).toString()).doesNotContain("gpumem", "cotenant.dev/filled");
    for (String path : new String[] {"/apis/apps/v1", "/apis/batch/v1"}) {
      String kind = path.contains("apps") ? "deployments" : "jobs";
      stage
          .admin()
          .list(path + "/namespaces/" + stage.names().filling() + "/" + kind)
          .forEach(object ->
              assertThat(object.at("/spec/template").toString())
                  .doesNotContain("gpumem", "cotenant.dev/filled"));
    }
  }

  /** What a queue charges is what its pods request: a template is filled once, however it ends. */
  @Test
  void aSuspendedJobIsFilledOnceAndItsPodsKeepTheNumber(Stage stage) {
    Workloads workloads = stage.workloads(stage.names().templates());
    Pods pods = stage.pods(stage.names().templates());
    String template = "/spec/template" + MEMORY;

    JsonNode job = workloads.suspend("queued", PodManifest.named("queued").sharing());
    assertThat(job.at(template).asLong()).isPositive();
    assertThat(job.at("/spec/template" + FILLED).asText()).contains("\"template\":true");
    JsonNode resumed = workloads.resume("queued");
    String pod = workloads.podOf(resumed);

    assertThat(resumed.at("/spec/template")).isEqualTo(job.at("/spec/template"));
    assertThat(pods.get(pod).at(MEMORY)).isEqualTo(job.at(template));
    assertThat(pods.get(pod).at(FILLED)).isEqualTo(job.at("/spec/template" + FILLED));
    stage.release().removeWebhooks(stage.admin());
    assertThat(
            workloads
                .suspend("later", PodManifest.named("later").sharing())
                .at("/spec/template")
                .toString())
        .doesNotContain("gpumem", "cotenant.dev/filled");
  }

  @Test
  void jobSetsAndTrainJobsAreFilledOnce(Stage stage) {
    Kube admin = stage.admin();
    String namespace = stage.names().templates();
    ObjectNode pods = PodManifest.named("worker").sharing().template();
    try (CustomKind jobSets =
            new CustomKind(stage, "jobset.x-k8s.io/v1alpha2", "JobSet", namespace);
        CustomKind trainJobs =
            new CustomKind(stage, "trainer.kubeflow.org/v1alpha1", "TrainJob", namespace)) {
      JsonNode jobSet =
          jobSets.create(
              "set",
              """
              {"suspend": true, "replicatedJobs": [
                {"name": "workers", "replicas": 2, "template": {"spec": {"template": %s}}}]}
              """
                  .formatted(pods));
      JsonNode template = jobSet.at("/spec/replicatedJobs/0/template/spec/template");
      assertThat(template.at(MEMORY).asLong()).isPositive();
      assertThat(template.at(FILLED).asText()).contains("\"template\":true");
      assertThat(
              admin
                  .merge(jobSets.path("set"), "{\"spec\": {\"suspend\": false}}")
                  .required()
                  .at("/spec/replicatedJobs"))
          .isEqualTo(jobSet.at("/spec/replicatedJobs"));

      JsonNode trainJob =
          trainJobs.create(
              "train",
              """
              {"suspend": true, "runtimeRef": {"name": "torch-distributed"}, "trainer":
                {"image": "registry.invalid/x:1", "numNodes": 2,
                 "resourcesPerNode": {"limits": {"nvidia.com/gpu": "1"}}}}
              """,
              pods.at("/metadata/annotations"));
      assertThat(trainJob.at("/spec/trainer/resourcesPerNode/limits/nvidia.com~1gpumem").asText())
          .isEqualTo(template.at(MEMORY).asText());
      assertThat(trainJob.at("/spec/annotations/cotenant.dev~1filled"))
          .isEqualTo(trainJob.at(FILLED))
          .isNotEqualTo(MissingNode.getInstance());
    }
  }

  @Test
  void aWorkloadThatRanOutOfMemoryIsNotFilledAgain(Stage stage) {
    PodManifest manifest = PodManifest.named("hungry").sharing().with("batch-size", "7");
    pods(stage).create(manifest);
    stage
        .admin()
        .merge(
            pods(stage).path("hungry") + "/status",
            """
            {"status": {"phase": "Failed", "containerStatuses": [{"name": "main", "image": "x",
              "imageID": "x", "ready": false, "restartCount": 0, "state": {"terminated":
              {"exitCode": 1, "message": "torch.OutOfMemoryError: CUDA out of memory."}}}]}}
            """)
        .required();

    JsonNode next = pods(stage).create(PodManifest.named("next").sharing().with("batch-size", "7"));

    assertThat(next.at(MEMORY).isMissingNode()).isTrue();
    JsonNode other =
        pods(stage).create(PodManifest.named("other").sharing().with("batch-size", "8"));
    assertThat(other.at(MEMORY).asLong()).isPositive();
  }
}
