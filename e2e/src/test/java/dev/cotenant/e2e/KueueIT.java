package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Kueue charges, admits and resumes Jobs by the numbers that are filled into their templates: its
 * own manager, with its webhooks beside ours.
 */
@ExtendWith(OnStage.class)
class KueueIT {
  private static final String TEMPLATE = "/spec/template";
  private static final String FILLED = Pods.annotation("filled");
  private static final String RESOURCES = "/spec/containers/0/resources/";
  private static final String LIMIT = RESOURCES + "limits/nvidia.com~1gpumem";
  private static final String COUNTED =
      "cotenant_fills_total{dialect=\"hami\",dry_run=\"false\",mode=\"fill\",outcome=\"%s\"";
  private static final String WITHOUT =
      "the programs' folder has no kueue with its manifests in kueue-crds";

  /** The same for all tests. */
  @AutoClose private static @Nullable Kueue running;

  private Kueue kueue;
  private GpuQueue queue;

  @BeforeEach
  void setUp(Stage stage) {
    stage.requireWebhooks();
    stage.requireScheduler();
    kueue = kueue(stage);
    stage
        .nodes()
        .set(
            stage.names().nodes().stream()
                .map(name -> GpuNode.named(name).with(4).allocatable(GpuQueue.MEMORY, "161300"))
                .toList());
    queue =
        new GpuQueue(stage.admin(), List.of(stage.names().templates(), stage.names().filling()));
  }

  private static Kueue kueue(Stage stage) {
    if (running == null) {
      Optional<Path> programs = Clusters.programs().filter(Kueue::isIn);
      if (programs.isEmpty()) {
        stage.abilities().leaveOut(WITHOUT);
      }
      stage.abilities().require(programs.isPresent(), "and " + WITHOUT);
      running = new Kueue(stage, programs.orElseThrow());
    }
    return running;
  }

  /** Jobs go first, for a queue that is used stays. */
  @AfterEach
  void tearDown(Stage stage) {
    if (queue != null) {
      stage.tearDown();
      queue.close();
    }
  }

  private static Workloads workloads(Stage stage) {
    return stage.workloads(stage.names().templates());
  }

  private static Pods pods(Stage stage) {
    return stage.pods(stage.names().templates());
  }

  private static JsonNode submit(Stage stage, String name) {
    return workloads(stage).queue(name, 1, PodManifest.named(name).sharing());
  }

  /** The MiB that are filled into one pod of the Jobs here. */
  private static long filledIn(Stage stage) {
    PodManifest pod = PodManifest.named("probe").sharing();
    JsonNode job = workloads(stage).queueDry("probe", 1, pod).required();
    return GpuQueue.amount(job.at(TEMPLATE + LIMIT)).orElseThrow();
  }

  private JsonNode awaitResumed(Stage stage, JsonNode job) {
    queue.awaitAdmitted(job);
    String name = job.at("/metadata/name").asText();
    Eventually.holds(
        name + " is resumed", () -> !workloads(stage).job(name).at("/spec/suspend").asBoolean());
    return workloads(stage).job(name);
  }

  private static JsonNode awaitPod(Stage stage, String job) {
    String pod = workloads(stage).awaitPods(job, 1).getFirst();
    pods(stage).awaitRunning(pod);
    return pods(stage).get(pod);
  }

  /** Kueue takes limits for requests that are missing. */
  @ParameterizedTest
  @CsvSource({
    "hami, nvidia.com/gpumem, 1",
    "volcano, volcano.sh/vgpu-memory, 0",
    "koordinator, koordinator.sh/gpu-memory, 0",
    "gpushare, aliyun.com/gpu-mem, 0"
  })
  void theWorkloadIsChargedWhatIsFilledIn(
      String dialect, String memory, long wholeGpus, Stage stage) {
    PodManifest pod = PodManifest.named("train").sharing().with("fill", dialect);

    JsonNode job = workloads(stage).queue("train", 3, pod);

    String path = RESOURCES + "limits/" + memory.replace("/", "~1");
    long filled = GpuQueue.amount(job.at(TEMPLATE + path)).orElseThrow();
    assertThat(filled).isPositive();
    assertThat(job.at("/spec/suspend").asBoolean()).isTrue();
    JsonNode workload = queue.awaitAdmitted(job);
    JsonNode pods = workload.at("/spec/podSets/0");
    assertThat(pods.path("count").asInt()).isEqualTo(3);
    assertThat(GpuQueue.amount(pods.at("/template" + path))).hasValue(filled);
    assertThat(GpuQueue.charged(workload, memory)).hasValue(3 * filled);
    assertThat(GpuQueue.charged(workload, GpuNode.GPU).orElse(0L)).isEqualTo(3 * wholeGpus);
  }

  /** The quota is of two and a half Jobs: the third runs once the first is done. */
  @Test
  void theQuotaAdmitsAsManyJobsAsTheFilledNumbersFit(Stage stage) {
    long filled = filledIn(stage);
    queue.setQuota(2 * filled + filled / 2);
    awaitResumed(stage, submit(stage, "one"));
    awaitResumed(stage, submit(stage, "two"));

    JsonNode three = submit(stage, "three");

    assertThat(queue.awaitRefused(three))
        .contains("insufficient unused quota for " + GpuQueue.MEMORY);
    Eventually.holds(
        "two Jobs are admitted and one waits",
        () -> queue.counts().equals(new GpuQueue.Counts(2, 1)));
    assertThat(queue.used()).isEqualTo(2 * filled);
    assertThat(workloads(stage).job("three").at("/spec/suspend").asBoolean()).isTrue();
    assertThat(workloads(stage).podsOf("three")).isEmpty();
    JsonNode done = awaitPod(stage, "one");
    pods(stage).status(done.at("/metadata/name").asText(), "{\"phase\": \"Succeeded\"}");

    awaitResumed(stage, three);

    assertThat(GpuQueue.amount(awaitPod(stage, "three").at(LIMIT))).hasValue(filled);
    Eventually.holds(
        "the queue counts the third Job in place of the first",
        () -> queue.counts().equals(new GpuQueue.Counts(2, 0)));
    assertThat(queue.used()).isEqualTo(2 * filled);
  }

  @Test
  void aQueueOfWholeGpusAdmitsNoFilledJobBeforeItCoversTheMemory(Stage stage) {
    queue.coverGpusAlone();
    JsonNode job = submit(stage, "uncovered");

    assertThat(queue.awaitRefused(job)).contains(GpuQueue.MEMORY, "unavailable in ClusterQueue");
    queue.setQuota(filledIn(stage));

    awaitResumed(stage, job);
  }

  /** Kueue selects nodes in the template when it resumes a Job; the number stays. */
  @Test
  void aResumedJobAndItsPodKeepTheNumberThatWasCharged(Stage stage) {
    CotenantProcess replica = stage.replicas().one();
    double filledBefore = replica.metric(COUNTED.formatted("filled"));
    double statedBefore = replica.metric(COUNTED.formatted("stated"));
    long filled = filledIn(stage);
    queue.setQuota(filled - 1);
    JsonNode job = submit(stage, "queued");
    assertThat(queue.awaitRefused(job)).contains("insufficient", GpuQueue.MEMORY);
    assertThat(replica.metric(COUNTED.formatted("filled"))).isEqualTo(filledBefore + 1);

    queue.setQuota(filled);
    JsonNode resumed = awaitResumed(stage, job);

    JsonNode template = job.at(TEMPLATE);
    assertThat(template.at(FILLED).asText()).contains("\"template\":true");
    assertThat(resumed.at(TEMPLATE + "/spec/nodeSelector").path(GpuNode.PRODUCT).asText())
        .isEqualTo(GpuNode.named("any").productLabel());
    assertThat(unmarked(resumed.at(TEMPLATE))).isEqualTo(template);
    JsonNode pod = awaitPod(stage, "queued");
    assertRequests(pod, template);
    assertThat(pod.at(FILLED)).isEqualTo(template.at(FILLED));
    assertThat(GpuQueue.charged(queue.workloadOf(job), GpuQueue.MEMORY)).hasValue(filled);
    assertThat(replica.metric(COUNTED.formatted("filled"))).isEqualTo(filledBefore + 1);
    assertThat(replica.metric(COUNTED.formatted("stated"))).isEqualTo(statedBefore + 1);
  }

  @Test
  void anEvictedJobIsResumedWithItsNumber(Stage stage) {
    JsonNode job = submit(stage, "evicted");
    awaitResumed(stage, job);
    String first = awaitPod(stage, "evicted").at("/metadata/uid").asText();

    queue.setActive(job, false);
    Eventually.holds(
        "the Job is suspended again, without pods",
        () ->
            workloads(stage).job("evicted").at("/spec/suspend").asBoolean()
                && workloads(stage).podsOf("evicted").isEmpty());
    assertThat(unmarked(workloads(stage).job("evicted").at(TEMPLATE))).isEqualTo(job.at(TEMPLATE));
    queue.setActive(job, true);

    JsonNode resumed = awaitResumed(stage, job);
    assertThat(unmarked(resumed.at(TEMPLATE))).isEqualTo(job.at(TEMPLATE));
    JsonNode second = awaitPod(stage, "evicted");
    assertThat(second.at("/metadata/uid").asText()).isNotEqualTo(first);
    assertRequests(second, job.at(TEMPLATE));
    assertThat(second.at(FILLED)).isEqualTo(job.at(TEMPLATE + FILLED));
  }

  /** The API server takes the limits of a pod, not of a template, for its missing requests. */
  private static void assertRequests(JsonNode pod, JsonNode template) {
    JsonNode limits = template.at(RESOURCES + "limits");
    assertThat(limits.isEmpty()).isFalse();
    assertThat(pod.at(RESOURCES + "limits")).isEqualTo(limits);
    assertThat(pod.at(RESOURCES + "requests")).isEqualTo(limits);
  }

  /** A template as it was before Kueue resumed its Job. */
  private static JsonNode unmarked(JsonNode template) {
    ObjectNode copy = template.deepCopy();
    copy.withObject("/spec").remove("nodeSelector");
    copy.withObject("/metadata/labels").remove("kueue.x-k8s.io/podset");
    return copy;
  }

  /** In the other tests it is called after ours. */
  @Test
  void aJobThatKueueSuspendsBeforeItIsFilledIsFilledAlike(Stage stage) {
    JsonNode after = submit(stage, "after");
    kueue.callFirst(true);
    try {
      JsonNode before = submit(stage, "before");

      assertThat(before.at("/spec/suspend").asBoolean()).isTrue();
      assertThat(before.at(TEMPLATE + FILLED).asText()).contains("\"template\":true");
      assertThat(before.at(TEMPLATE + FILLED)).isEqualTo(after.at(TEMPLATE + FILLED));
      assertThat(before.at(TEMPLATE + "/spec")).isEqualTo(after.at(TEMPLATE + "/spec"));
      assertThat(GpuQueue.charged(queue.awaitAdmitted(before), GpuQueue.MEMORY))
          .isEqualTo(GpuQueue.amount(after.at(TEMPLATE + LIMIT)));
    } finally {
      kueue.callFirst(false);
    }
  }

  @Test
  void aTemplateThatStatesItsMemoryIsChargedForThat(Stage stage) {
    PodManifest pod = PodManifest.named("own").sharing().limitedTo(GpuQueue.MEMORY, "5000");

    JsonNode job = workloads(stage).queue("own", 1, pod);

    assertThat(job.at(TEMPLATE + LIMIT).asText()).isEqualTo("5k");
    assertThat(job.toString()).doesNotContain("cotenant.dev/filled");
    JsonNode resumed = awaitResumed(stage, job);
    assertThat(unmarked(resumed.at(TEMPLATE))).isEqualTo(job.at(TEMPLATE));
    assertThat(GpuQueue.charged(queue.workloadOf(job), GpuQueue.MEMORY)).hasValue(5000L);
    JsonNode created = awaitPod(stage, "own");
    assertRequests(created, job.at(TEMPLATE));
    assertThat(created.at(FILLED).isMissingNode()).isTrue();
  }

  /** Why templates are filled: where only pods are, they use what no queue was charged for. */
  @Test
  void aTemplateThatIsNotFilledIsChargedForNoMemory(Stage stage) {
    Workloads workloads = stage.workloads(stage.names().filling());

    JsonNode job = workloads.queue("later", 1, PodManifest.named("later").sharing());

    JsonNode workload = queue.awaitAdmitted(job);
    assertThat(GpuQueue.charged(workload, GpuNode.GPU)).hasValue(1L);
    assertThat(GpuQueue.charged(workload, GpuQueue.MEMORY)).isEmpty();
    String pod = workloads.awaitPods("later", 1).getFirst();
    assertThat(GpuQueue.amount(stage.pods(stage.names().filling()).get(pod).at(LIMIT))).isPresent();
  }
}
