package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.EngineBudget;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.domain.quantity.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A server that takes 30 GiB and needs 3 GiB: at most 4 GiB in 90 % of cases and 5 GiB in 99 %, of
 * which 1 GiB is its KV cache. The number that is filled in reaches it as an argument.
 */
class FillServerTest {
  private static final String ARGUMENTS = "'--model','resnet50'";

  private static Bench bench(GpuDialect target, EngineBudget budget, Mode mode) {
    Policy policy =
        Policy.DEFAULT
            .with(copy -> copy.mode = mode)
            .with(copy -> copy.engineBudget = budget)
            .with(copy -> copy.filling = new Filling(target, 2, Filling.Scope.PODS));
    return new Bench(TestClusters.empty(), new FakeServers(), policy);
  }

  private static JsonNode pod(String annotations, String arguments, String limits) {
    return PodReviews.pod(
        annotations,
        "'containers':[{'name':'server','image':'vllm/vllm-openai:v0.19.0','args':[%s],"
                .formatted(arguments)
            + "'resources':{'limits':{'nvidia.com/gpu':'1'"
            + limits
            + "}}}]");
  }

  private static JsonNode filled(Bench bench, JsonNode pod) {
    return PatchedPod.of(pod, Bench.patch(bench.mutate(PodReviews.creating(pod))));
  }

  private static String lastArgument(JsonNode pod) {
    JsonNode arguments = pod.at("/spec/containers/0/args");
    return arguments.get(arguments.size() - 1).asText();
  }

  private static String memory(JsonNode pod, GpuDialect dialect) {
    String name = dialect.memoryField().orElseThrow().name();
    return dialect.isAnnotated()
        ? pod.at("/metadata/annotations").path(name).asText()
        : pod.at("/spec/containers/0/resources/limits").path(name).asText();
  }

  @ParameterizedTest
  @CsvSource({"HAMI, 4160", "KAI, 3136", "VOLCANO, 4160", "KOORDINATOR, 3288334336"})
  void theFilledNumberReachesTheServerAsAnArgument(GpuDialect target, String bound) {
    Bench bench = bench(target, EngineBudget.WRITE, Mode.FILL);
    JsonNode before = pod("", ARGUMENTS, "");

    JsonNode pod = filled(bench, before);

    assertThat(memory(pod, target)).isEqualTo(bound);
    assertThat(lastArgument(pod)).isEqualTo("--kv-cache-memory-bytes=" + MemorySize.GIB);
    assertThat(pod.at("/metadata/annotations/cotenant.dev~1engine-budget").asText())
        .isEqualTo(lastArgument(pod));
    assertThat(FillRecord.of(pod).orElseThrow().argument()).isEqualTo(lastArgument(pod));
    assertThat(filled(bench, pod)).isEqualTo(pod);
    assertThat(FillRecord.original(pod).at("/spec/containers/0/args"))
        .isEqualTo(before.at("/spec/containers/0/args"));
  }

  @Test
  void aCopiedServerGetsTheNumberAndTheArgumentOfItsOwn() {
    Bench bench = bench(GpuDialect.HAMI, EngineBudget.WRITE, Mode.FILL);
    JsonNode copied = filled(bench, pod("", ARGUMENTS, ""));
    long bytes = (Long.parseLong(memory(copied, GpuDialect.HAMI)) << 20);
    ((ObjectNode) copied.at("/metadata/annotations")).put("cotenant.dev/gpu-memory", "20Gi");

    JsonNode pod = filled(bench, copied);

    assertThat(memory(pod, GpuDialect.HAMI)).isEqualTo("20480");
    assertThat(lastArgument(pod))
        .isEqualTo("--kv-cache-memory-bytes=" + (MemorySize.GIB + 20 * MemorySize.GIB - bytes));
    assertThat(pod.at("/spec/containers/0/args")).hasSize(3);
    assertThat(filled(bench, pod)).isEqualTo(pod);
  }

  /** Another webhook took the argument away: the number is written again, with the argument. */
  @Test
  void anArgumentThatWasTakenAwayIsWrittenAgain() {
    Bench bench = bench(GpuDialect.HAMI, EngineBudget.WRITE, Mode.FILL);
    JsonNode pod = filled(bench, pod("", ARGUMENTS, ""));
    ObjectNode stripped = pod.deepCopy();
    ((ObjectNode) stripped.at("/spec/containers/0"))
        .putArray("args")
        .add("--model")
        .add("resnet50");

    assertThat(filled(bench, stripped)).isEqualTo(pod);
  }

  @Test
  void adviceAloneLeavesACutCardToWholeGpus() {
    Bench bench = bench(GpuDialect.HAMI, EngineBudget.ADVISE, Mode.FILL);

    JsonNode response = bench.mutate(PodReviews.creating(pod("", ARGUMENTS, "")));

    assertThat(response.has("patch")).isFalse();
    assertThat(bench.fills.getLast().outcome()).isEqualTo("engine");
    assertThat(response.path("warnings").toString())
        .contains("its server takes a share of the visible GPU memory; fix its KV cache");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "KAI,\"'--model','resnet50'\"",
        "HAMI,\"'--model','resnet50','--kv-cache-memory-bytes=9'\""
      })
  void withoutArgumentOfOursWhatItTakesIsFilledIn(GpuDialect target, String arguments) {
    JsonNode before = pod("", arguments, "");

    JsonNode pod = filled(bench(target, EngineBudget.ADVISE, Mode.FILL), before);

    assertThat(memory(pod, target)).isEqualTo(String.valueOf(30 << 10));
    assertThat(pod.at("/spec/containers/0/args")).isEqualTo(before.at("/spec/containers/0/args"));
  }

  /** It would take what it is given, so nothing but what it needs can be compared. */
  @Test
  void whatAServerStatesIsComparedWithWhatItNeeds() {
    Bench bench = bench(GpuDialect.HAMI, EngineBudget.WRITE, Mode.CAP);

    JsonNode much =
        bench.mutate(PodReviews.creating(pod("", ARGUMENTS, ",'nvidia.com/gpumem':'30720'")));
    JsonNode little =
        bench.mutate(PodReviews.creating(pod("", ARGUMENTS, ",'nvidia.com/gpumem':'1024'")));

    assertThat(much.path("warnings").toString())
        .contains(
            "states 30 GiB, predicted to need at most ", " of cases on a100-40gb for one sequence");
    assertThat(little.path("warnings").toString())
        .contains("states 1 GiB", "it may run out of memory");
    assertThat(much.has("patch")).isFalse();
  }
}
