package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A resnet50 at batch 64 peaks at 6 GiB: at most 7 GiB in 90 % of cases, and 8 GiB in 99 %. */
class FillAdmissionTest {
  private static final Policy FILL = Policy.DEFAULT.with(copy -> copy.mode = Mode.FILL);
  private static final String MODEL =
      "'cotenant.dev/model':'resnet50','cotenant.dev/batch-size':'64'";

  private static Bench bench(Policy policy) {
    return new Bench(TestClusters.empty(), policy);
  }

  private static Policy into(GpuDialect target) {
    return FILL.with(copy -> copy.filling = new Filling(target, 2, Filling.Scope.PODS));
  }

  private static JsonNode pod(String annotations, String limits) {
    return PodReviews.pod(
        annotations,
        "'containers':[{'name':'main','resources':{'limits':{%s}}}]".formatted(limits));
  }

  private static JsonNode filled(Bench bench, JsonNode pod) {
    return PatchedPod.of(pod, Bench.patch(bench.mutate(PodReviews.creating(pod))));
  }

  private static JsonNode limits(JsonNode pod) {
    return pod.at("/spec/containers/0/resources/limits");
  }

  private static JsonNode annotation(JsonNode pod, String name) {
    return pod.path("metadata").path("annotations").path(name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          'nvidia.com/gpu':'1','nvidia.com/gpucores':'30' | nvidia.com/gpumem         | 8192
          'volcano.sh/vgpu-number':'1'                    | volcano.sh/vgpu-memory    | 8192
          'koordinator.sh/gpu-core':'50'                  | koordinator.sh/gpu-memory | 7516192768
          'aliyun.com/gpu-count':'1'                      | aliyun.com/gpu-mem        | 7
          """)
  void fillsWhatARequestLeavesOut(String limits, String name, String value) {
    Bench bench = bench(FILL);

    JsonNode pod = filled(bench, pod(MODEL, limits));

    assertThat(limits(pod).path(name).asText()).isEqualTo(value);
    JsonNode record = Bench.json(annotation(pod, CotenantAnnotations.FILLED).asText());
    assertThat(record.path("wrote").path(name).asText()).isEqualTo(value);
    assertThat(record.path("why").asText()).startsWith("predicted at most ").contains("% of cases");
    assertThat(bench.outcome().getClass().getSimpleName()).isEqualTo("Filled");
  }

  @ParameterizedTest
  @CsvSource({
    "HAMI,2,'{\"nvidia.com/gpu\":\"1\",\"nvidia.com/gpumem\":\"8192\"}'",
    "VOLCANO,3,'{\"volcano.sh/vgpu-memory\":\"8192\",\"volcano.sh/vgpu-number\":\"1\"}'",
    "KOORDINATOR,3,'{\"koordinator.sh/gpu-memory\":\"7516192768\"}'",
    "GPUSHARE,3,'{\"aliyun.com/gpu-mem\":\"7\"}'",
    "KAI,3,'{}'"
  })
  void turnsWholeGpusIntoTheTarget(GpuDialect target, int operations, String limits) {
    Bench bench = bench(into(target));
    JsonNode before = pod(MODEL, "'nvidia.com/gpu':'1'");

    JsonNode pod = filled(bench, before);

    assertThat(limits(pod).toString()).isEqualTo(limits);
    if (target == GpuDialect.KAI) {
      assertThat(annotation(pod, "gpu-memory").asText()).isEqualTo("7168");
    }
    assertThat(Bench.patch(bench.mutate(PodReviews.creating(before))))
        .hasSizeGreaterThan(operations);
  }

  @Test
  void leavesWholeGpusWithoutATarget() {
    Bench bench = bench(FILL);

    JsonNode response = bench.mutate(PodReviews.creating(pod(MODEL, "'nvidia.com/gpu':'1'")));

    assertThat(response.has("patch")).isFalse();
    assertThat(bench.fills.getLast().outcome()).isEqualTo("whole-gpus");
  }

  @Test
  void anAnnotationOptsInAndOut() {
    JsonNode opted = pod(MODEL + ",'cotenant.dev/fill':'hami'", "'nvidia.com/gpu':'1'");
    JsonNode never = pod(MODEL + ",'cotenant.dev/fill':'never'", "'nvidia.com/gpu':'1'");
    JsonNode wrong = pod(MODEL + ",'cotenant.dev/fill':'dra'", "'nvidia.com/gpu':'1'");

    assertThat(limits(filled(bench(FILL), opted)).has("nvidia.com/gpumem")).isTrue();
    assertThat(filled(bench(into(GpuDialect.HAMI)), never)).isEqualTo(never);
    assertThat(bench(FILL).mutate(PodReviews.creating(wrong)).path("warnings").toString())
        .contains("cotenant.dev/fill must be never, hami, kai");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'nvidia.com/gpu':'1','nvidia.com/gpumem':'30000'",
        "'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'100'",
        "'volcano.sh/vgpu-number':'1','volcano.sh/vgpu-memory':'4000'",
        "'koordinator.sh/gpu':'100'",
        "'aliyun.com/gpu-mem':'30'"
      })
  void neverChangesWhatIsStated(String limits) {
    Bench bench = bench(into(GpuDialect.HAMI));

    JsonNode response = bench.mutate(PodReviews.creating(pod(MODEL, limits)));

    assertThat(response.has("patch")).isFalse();
    assertThat(bench.fills.getLast().outcome()).isEqualTo("stated");
  }

  @Test
  void saysWhereWhatIsStatedIsNotWhatIsPredicted() {
    JsonNode much = pod(MODEL, "'nvidia.com/gpu':'1','nvidia.com/gpumem':'30720'");
    JsonNode little = pod(MODEL, "'nvidia.com/gpu':'1','nvidia.com/gpumem':'4096'");

    assertThat(bench(FILL).mutate(PodReviews.creating(much)).path("warnings").toString())
        .contains("states 30 GiB, predicted at most 8 GiB in 99 % of cases");
    assertThat(bench(FILL).mutate(PodReviews.creating(little)).path("warnings").toString())
        .contains("states 4 GiB", "it may run out of memory");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'60' | states 60 % of a GPU (9 GiB to 23.4 GiB), predicted at most 8 GiB in 99 % of cases
          'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'20' | states 20 % of a GPU (3 GiB to 7.8 GiB), predicted at most 8 GiB in 99 % of cases on a100-40gb: it may run out
          'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'100' | states a whole GPU, predicted at most 8 GiB
          'koordinator.sh/gpu':'100' | states a whole GPU, predicted at most 7 GiB in 90 % of cases
          'koordinator.sh/gpu-memory-ratio':'50' | states 50 % of a GPU (7.5 GiB to 19.5 GiB), predicted at most 7 GiB
          'volcano.sh/vgpu-number':'1','volcano.sh/vgpu-memory-percentage':'60' | states 60 % of a GPU
          """)
  void saysSoOfSharesAsWell(String limits, String sentence) {
    for (Mode mode : List.of(Mode.FILL, Mode.CAP, Mode.WARN)) {
      JsonNode response =
          bench(FILL.with(copy -> copy.mode = mode))
              .mutate(PodReviews.creating(pod(MODEL, limits)));

      assertThat(response.path("warnings").toString()).contains(sentence);
      assertThat(response.has("patch")).isFalse();
    }
  }

  /** KAI from 0.18 on states a request and a limit, by container. */
  @ParameterizedTest
  @ValueSource(strings = {"request", "limit"})
  void knowsRequestAndLimitOfKai(String name) {
    String spec = "'containers':[{'name':'other'},{'name':'trainer'}]";
    String key = "'nvidia.com/container.trainer.gpu-memory." + name + "':";
    JsonNode much = PodReviews.pod(MODEL + "," + key + "'30Gi'", spec);
    JsonNode bad = PodReviews.pod(MODEL + "," + key + "'much'", spec);
    Bench bench = bench(into(GpuDialect.KAI).with(copy -> copy.mode = Mode.CAP));

    JsonNode response = bench.mutate(PodReviews.creating(much));

    assertThat(response.has("patch")).isFalse();
    assertThat(bench.fills.getLast().outcome()).isEqualTo("stated");
    assertThat(bench.fills.getLast().dialect()).isEqualTo(GpuDialect.KAI);
    assertThat(response.path("warnings").toString())
        .contains("states 30 GiB, predicted at most 7 GiB in 90 % of cases");
    assertThat(bench.mutate(PodReviews.creating(bad)).path("warnings").toString())
        .contains("gpu-memory." + name + " of trainer", "GPU memory from 1 MiB to 1 TiB");
  }

  private static final String OBJECTIVE =
      MODEL
          + ",'cotenant.dev/mode':'inference','cotenant.dev/slo-latency':'20ms'"
          + ",'cotenant.dev/request-rate':'3000'";

  /** Compute follows from a latency objective alone, and is written where memory is stated too. */
  @ParameterizedTest
  @ValueSource(strings = {"", ",'nvidia.com/gpumem':'9000'"})
  void writesTheShareOfComputeThatALatencyObjectiveNeeds(String memory) {
    Bench bench = bench(into(GpuDialect.HAMI));
    JsonNode before = pod(OBJECTIVE, "'nvidia.com/gpu':'1'" + memory);

    JsonNode pod = filled(bench, before);

    assertThat(limits(pod).path("nvidia.com/gpucores").asInt()).isBetween(1, 99);
    assertThat(limits(pod).path("nvidia.com/gpumem").asText())
        .isEqualTo(memory.isEmpty() ? "8192" : "9000");
    assertThat(filled(bench, pod)).isEqualTo(pod);
    assertThat(limits(filled(bench, pod(MODEL, "'nvidia.com/gpu':'1'"))).has("nvidia.com/gpucores"))
        .isFalse();
    JsonNode stated = pod(OBJECTIVE, "'nvidia.com/gpu':'1','nvidia.com/gpucores':'7'" + memory);
    assertThat(limits(filled(bench, stated)).path("nvidia.com/gpucores").asText()).isEqualTo("7");
  }

  /** No memory was filled in, so that a lack of it is not counted. */
  @Test
  void aPodWhoseComputeAloneWasFilledIsNoKill() {
    Bench bench = bench(into(GpuDialect.HAMI));
    String limits = "'nvidia.com/gpu':'1','nvidia.com/gpumem':'9000'";
    JsonNode filled = filled(bench, pod(OBJECTIVE, limits));

    bench.validate(death(filled, "u1"));

    assertThat(annotation(filled, CotenantAnnotations.FILLED).asText())
        .contains("\"wrote\":{\"nvidia.com/gpucores\"")
        .doesNotContain("bytes");
    assertThat(bench.kills).isEmpty();
  }

  @Test
  void capLowersWhatIsStatedAndKeepsIt() {
    Bench bench = bench(FILL.with(copy -> copy.mode = Mode.CAP));
    JsonNode before = pod(MODEL, "'nvidia.com/gpu':'1','nvidia.com/gpumem':'30720'");

    JsonNode pod = filled(bench, before);

    assertThat(limits(pod).path("nvidia.com/gpumem").asText()).isEqualTo("8192");
    assertThat(annotation(pod, CotenantAnnotations.FILLED).asText())
        .contains("\"was\":{\"nvidia.com/gpumem\":\"30720\"}");
    assertThat(filled(bench, pod)).isEqualTo(pod);
  }

  @Test
  void writesLimitsAndRequestsAlike() {
    JsonNode pod =
        PodReviews.pod(
            MODEL,
            "'containers':[{'name':'main','resources':{'limits':{'nvidia.com/gpu':'1'},"
                + "'requests':{'nvidia.com/gpu':'1','cpu':'2'}}}]");

    JsonNode filled = filled(bench(into(GpuDialect.VOLCANO)), pod);

    assertThat(filled.at("/spec/containers/0/resources/requests").toString())
        .isEqualTo(
            "{\"cpu\":\"2\",\"volcano.sh/vgpu-memory\":\"8192\",\"volcano.sh/vgpu-number\":\"1\"}");
  }

  @ParameterizedTest
  @EnumSource(
      value = GpuDialect.class,
      names = {"HAMI", "KAI", "VOLCANO", "KOORDINATOR"})
  void aChangeByAnotherIsTheirs(GpuDialect target) {
    Bench bench = bench(into(target));
    JsonNode filled = filled(bench, pod(MODEL, "'nvidia.com/gpu':'1'"));
    String name = target.memoryField().orElseThrow().name();
    JsonNode place = target.isAnnotated() ? filled.at("/metadata/annotations") : limits(filled);
    ((ObjectNode) place).put(name, target == GpuDialect.KOORDINATOR ? "20000000000" : "20000");

    JsonNode again = filled(bench, filled);

    assertThat(annotation(again, CotenantAnnotations.FILLED).isMissingNode()).isTrue();
    assertThat(
            (target.isAnnotated() ? again.at("/metadata/annotations") : limits(again))
                .path(name)
                .asText())
        .startsWith("20000");
  }

  @Test
  void aCopiedPodIsFilledByWhatIsKnownNow() {
    JsonNode copied = filled(bench(into(GpuDialect.HAMI)), pod(MODEL, "'nvidia.com/gpu':'1'"));
    ((ObjectNode) copied.at("/metadata/annotations")).put("cotenant.dev/batch-size", "128");

    assertThat(
            limits(filled(bench(into(GpuDialect.HAMI)), copied)).path("nvidia.com/gpumem").asText())
        .isEqualTo("12288");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "{}",
        "[1]",
        "{\\\"dialect\\\":\\\"hami\\\",\\\"wrote\\\":{\\\"cpu\\\":\\\"1\\\"},\\\"bytes\\\":1}",
        "{\\\"dialect\\\":\\\"dra\\\",\\\"wrote\\\":{\\\"nvidia.com/gpumem\\\":\\\"1\\\"},\\\"bytes\\\":1}",
        "{\\\"dialect\\\":\\\"hami\\\",\\\"wrote\\\":{\\\"nvidia.com/gpumem\\\":\\\"9\\\"},\\\"bytes\\\":\\\"1e999\\\"}"
      })
  void aForgedRecordIsReplaced(String forged) {
    JsonNode pod =
        pod(MODEL + ",'cotenant.dev/filled':'" + forged + "'", "'cpu':'1','nvidia.com/gpu':'1'");

    JsonNode filled = filled(bench(into(GpuDialect.HAMI)), pod);

    assertThat(limits(filled).path("nvidia.com/gpumem").asText()).isEqualTo("8192");
    assertThat(limits(filled).path("cpu").asText()).isEqualTo("1");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "'cotenant.dev/model':'nobody',unknown-model",
        "'cotenant.dev/batch-size':'4',unknown-model",
        "'cotenant.dev/model':'huge',whole-card"
      })
  void saysWhyNothingIsFilled(String annotations, String outcome) {
    Bench bench = bench(into(GpuDialect.HAMI));

    JsonNode response = bench.mutate(PodReviews.creating(pod(annotations, "'nvidia.com/gpu':'1'")));

    assertThat(response.has("patch")).isFalse();
    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(response.path("warnings").toString()).contains("its memory is not filled in: ");
    assertThat(bench.fills.getLast().outcome()).isEqualTo(outcome);
  }

  @Test
  void severalContainersAndGpusAreLeft() {
    String two =
        "'containers':[{'name':'a','resources':{'limits':{'nvidia.com/gpu':'1'}}},"
            + "{'name':'b','resources':{'limits':{'nvidia.com/gpu':'1'}}}]";
    Bench bench = bench(into(GpuDialect.HAMI));

    bench.mutate(PodReviews.creating(PodReviews.pod(MODEL, two)));
    bench.mutate(PodReviews.creating(pod(MODEL, "'nvidia.com/gpu':'4'")));

    assertThat(bench.fills.stream().map(FillReport::outcome))
        .containsExactly("several-containers", "several-gpus");
  }

  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"SHADOW", "WARN"})
  void otherModesShowWhatWouldBeFilled(Mode mode) {
    Bench bench = bench(into(GpuDialect.HAMI).with(copy -> copy.mode = mode));

    JsonNode response = bench.mutate(PodReviews.creating(pod(MODEL, "'nvidia.com/gpu':'1'")));

    assertThat(response.has("patch")).isFalse();
    assertThat(bench.fills.getLast().outcome()).isEqualTo("filled");
    assertThat(response.path("warnings").toString().contains("would be filled in"))
        .isEqualTo(mode == Mode.WARN);
    assertThat(bench.decisions).hasSize(1);
  }

  @Test
  void statedMemoryOfOursRaisesTheNumber() {
    JsonNode pod = pod(MODEL + ",'cotenant.dev/gpu-memory':'20Gi'", "'nvidia.com/gpu':'1'");

    assertThat(limits(filled(bench(into(GpuDialect.HAMI)), pod)).path("nvidia.com/gpumem").asText())
        .isEqualTo("20480");
  }

  /** A status report of a pod whose container failed for lack of GPU memory. */
  private static JsonNode death(JsonNode filled, String uid) {
    return death(filled, uid, "containerStatuses");
  }

  private static JsonNode death(JsonNode filled, String uid, String statuses) {
    ObjectNode dead = filled.deepCopy();
    ((ObjectNode) dead.path("metadata")).put("uid", uid);
    dead.set(
        "status",
        Bench.json(
            "{'%s':[{'name':'main','lastState':{'terminated':".formatted(statuses)
                + "{'exitCode':1,'message':'CUDA out of memory'}}}]}"));
    return PodReviews.updating("status", filled, dead);
  }

  @Test
  void aWorkloadThatRanOutIsNotFilledUntilMoreIsLearned() {
    Bench bench = bench(into(GpuDialect.HAMI));
    JsonNode pod = pod(MODEL, "'nvidia.com/gpu':'1'");
    JsonNode filled = filled(bench, pod);

    bench.validate(PodReviews.dryRun(death(filled, "u0")));
    assertThat(bench.kills).isEmpty();
    bench.validate(death(filled, "u1"));
    bench.validate(death(filled, "u1"));

    assertThat(bench.kills).hasSize(1);
    assertThat(filled(bench, pod)).isEqualTo(pod);
    assertThat(bench.fills.getLast().outcome()).isEqualTo("killed");
    JsonNode other = pod("'cotenant.dev/model':'resnet50'", "'nvidia.com/gpu':'1'");
    assertThat(filled(bench, other)).isNotEqualTo(other);
    bench.now = bench.now.plus(FillOomKills.MEMORY).plus(Duration.ofSeconds(1));
    assertThat(filled(bench, pod)).isNotEqualTo(pod);
  }

  @Test
  void aSidecarThatRanOutIsAKillToo() {
    Bench bench = bench(into(GpuDialect.HAMI));
    JsonNode pod =
        PodReviews.pod(
            MODEL,
            "'containers':[{'name':'app'}],'initContainers':[{'name':'main',"
                + "'restartPolicy':'Always','resources':{'limits':{'nvidia.com/gpu':'1'}}}]");
    JsonNode filled = filled(bench, pod);

    bench.validate(death(filled, "u1", "initContainerStatuses"));

    assertThat(filled.at("/spec/initContainers/0/resources/limits").has("nvidia.com/gpumem"))
        .isTrue();
    assertThat(bench.kills).hasSize(1);
  }

  /** The largest budget that a policy can have is spent like any other. */
  @Test
  void everyBudgetCanBeSpent() {
    FillOomKills kills = new FillOomKills(() -> TestClusters.NOW);
    for (int i = 0; i <= Filling.MAX_KILLS; i++) {
      kills.add("u" + i, "team-a", "w" + i, MemorySize.ofGiB(8));
    }

    assertThat(kills.ofWeek("team-a")).isGreaterThan(Filling.MAX_KILLS);
    assertThat(kills.tooLittle("team-a", "w0")).isPresent();
  }

  @Test
  void aNamespaceBeyondItsBudgetReturnsToShadow() {
    Bench bench =
        bench(
            FILL.with(copy -> copy.filling = new Filling(GpuDialect.HAMI, 0, Filling.Scope.PODS)));
    JsonNode filled = filled(bench, pod(MODEL, "'nvidia.com/gpu':'1'"));
    bench.validate(death(filled, "u1"));
    JsonNode other = pod("'cotenant.dev/model':'vgg19'", "'nvidia.com/gpu':'1'");

    JsonNode response = bench.mutate(PodReviews.creating(other));

    assertThat(response.has("patch")).isFalse();
    assertThat(bench.fills.getLast().outcome()).isEqualTo("budget");
    assertThat(bench.decisions).hasSize(1);
    bench.now = bench.now.plus(FillOomKills.BUDGET_TIME).plus(Duration.ofSeconds(1));
    assertThat(filled(bench, other)).isNotEqualTo(other);
  }

  @Test
  void aPodThatIsNotOursToFillStaysAsItIs() {
    Bench bench = bench(into(GpuDialect.HAMI));
    List<JsonNode> pods =
        List.of(
            pod(MODEL, "'cpu':'1'"),
            pod(MODEL, "'nvidia.com/mig-1g.10gb':'1'"),
            pod(MODEL + ",'cotenant.dev/mode':'dance'", "'nvidia.com/gpu':'1'"),
            PodReviews.pod(MODEL, "'containers':[]"));

    pods.forEach(pod -> assertThat(filled(bench, pod)).isEqualTo(pod));
    assertThat(bench.fills).isEmpty();
  }
}
