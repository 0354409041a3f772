package dev.cotenant.llm.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What costs a prediction its coverage. */
class VllmFlagsTest {
  private static Workload.Vllm server(String image, boolean hasMore, String... args) {
    Map<String, String> environment = Map.of("LEN", "4096");
    return (Workload.Vllm)
        new ContainerReader()
            .read(
                new Container(
                    image,
                    List.of("vllm", "serve", "a/b"),
                    List.of(args),
                    environment,
                    Set.of(),
                    hasMore));
  }

  private static Workload.Vllm server(String... args) {
    return server("vllm/vllm-openai:v0.19.0", false, args);
  }

  private static List<String> lost(Workload.Vllm server) {
    return Stream.concat(
            server.notes().stream(),
            VllmArguments.of(VllmVersion.of("0.19"), server.flags()).ignored().stream())
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--compilation-config {\"cudagraph_capture_sizes\":[1,2]} | --compilation-config",
        "-O {\"cudagraph_mode\":\"FULL\"} | --compilation-config",
        "-O.cudagraph_mode=FULL | --compilation-config",
        "-cc.cudagraph_mode FULL | --compilation-config",
        "-O3 | --optimization-level",
        "--cudagraph-capture-sizes 1 2 4 | --cudagraph-capture-sizes",
        "--cuda_graph_sizes=1024 | --cuda-graph-sizes",
        "--max-cudagraph-capture-size 2048 | --max-cudagraph-capture-size",
        "--speculative-config.model a/draft | --speculative-config",
        "-sc {\"model\":\"a/draft\"} | --speculative-config",
        "--kv-transfer-config {\"kv_connector\":\"NixlConnector\"} | --kv-transfer-config",
        "--kv_transfer_config.kv_connector=NixlConnector | --kv-transfer-config",
        "--limit-mm-per-prompt.image 8 | --limit-mm-per-prompt",
        "--no-enable-chunked-prefill | --enable-chunked-prefill",
        "--attention-backend FLASHINFER | --attention-backend",
        "--lora-modules sql=/adapters/sql chat=/adapters/chat --max-lora-rank 64 | --lora-modules",
        "--hf-overrides.rope_theta 1 | --hf-overrides",
        "--made-up | --made-up"
      })
  void whatMayTakeMemoryIsNamed(String args, String flag) {
    Workload.Vllm server = server(args.split(" ", -1));
    assertThat(Objects.requireNonNull(server.model()).text()).isEqualTo("a/b");
    assertThat(lost(server)).singleElement().asString().contains(flag, "not counted");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--port=80 --served-model-name x y --trust-remote-code --seed 1 --revision main",
        "--load-format=runai_streamer --block-size 32 --data-parallel-size=2 -asc 2",
        "--no-enable-prefix-caching --enable-chunked-prefill --distributed-executor-backend=mp",
        "--override-generation-config.temperature 0.5 --tool-call-parser hermes",
        "--tensor-parallel-size=2 --pipeline-parallel-size=1 --gpu-memory-utilization=0.95"
            + " --max-model-len=8192 --kv-cache-dtype fp8 --dtype bfloat16 --no-enable-lora"
      })
  void whatLeavesMemoryAsItIsCostsNothing(String args) {
    assertThat(lost(server(args.split(" ", -1)))).isEmpty();
  }

  /** Images of others have tags of their own: 25.10 of NVIDIA's holds vLLM 0.10.2. */
  @ParameterizedTest
  @CsvSource({
    "vllm/vllm-openai:v0.19.0, v0.19.0",
    "docker.io/vllm/vllm-openai:v0.19.0-x86_64, v0.19.0-x86_64",
    "registry.local:5000/mirror/vllm-openai:0.18, 0.18",
    "vllm/vllm-openai:v0.19.0@sha256:0123abcd, v0.19.0",
    "vllm/vllm-openai@sha256:0123abcd,",
    "vllm/vllm-openai:latest,",
    "vllm/vllm-openai,",
    "nvcr.io/nvidia/vllm:25.10-py3,",
    "example/server:1.2,",
    "registry.local:5000/vllm/vllm-openai,"
  })
  void theTagOfVllmsOwnImageIsItsVersion(String image, @Nullable String version) {
    Value found = server(image, false).version();
    assertThat(found == null ? null : found.text()).isEqualTo(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvcr.io/nvidia/vllm:25.10-py3", "x/vllm@sha256:0123", "x/vllm-openai@y"})
  void anImageIsRecognisedWithAnyTagOrDigest(String image) {
    assertThat(
            new ContainerReader()
                .read(new Container(image, List.of(), List.of("a/b"), Map.of(), Set.of())))
        .isInstanceOf(Workload.Vllm.class);
  }

  /** A reference to what a config map may declare is no literal. */
  @Test
  void referencesToUndeclaredVariablesAreUnknown() {
    String[] args = {"$(EXTRA)", "--max-model-len=$(LEN)"};
    assertThat(server("vllm/vllm-openai:v0.19.0", false, args).notes()).isEmpty();

    Workload.Vllm server = server("vllm/vllm-openai:v0.19.0", true, args);

    assertThat(server.flags()).containsEntry("max-model-len", new Value("4096", "args"));
    assertThat(server.notes())
        .containsExactly("1 command argument cannot be resolved before the pod runs");
  }

  /** In a shell's script these are commands, which are unknown in any case. */
  @Test
  void commandsOfAScriptAreNoReferences() {
    for (boolean hasMore : new boolean[] {false, true}) {
      Workload.Vllm server =
          (Workload.Vllm)
              new ContainerReader()
                  .read(
                      new Container(
                          "img",
                          List.of("bash", "-c"),
                          List.of("vllm serve a/b --seed 1 $(hostname)"),
                          Map.of(),
                          Set.of(),
                          hasMore));
      assertThat(server.notes())
          .containsExactly("1 command argument cannot be resolved before the pod runs");
    }
  }

  /** As argparse: a prefix of one flag alone means it, and the last occurrence counts. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--gpu-memory-util 0.98 | gpu-memory-utilization | 0.98",
        "--gpu_mem=0.98 | gpu-memory-utilization | 0.98",
        "--gpu-memory-utilization 0.5 --gpu-mem 0.98 | gpu-memory-utilization | 0.98",
        "--gpu-mem 0.98 --gpu-memory-utilization 0.5 | gpu-memory-utilization | 0.5",
        "--enforce | enforce-eager | true",
        "--tensor-parallel 2 | tensor-parallel-size | 2",
        "--speculative-conf.model a/draft | speculative-config.model | a/draft",
        "--max-num 8 | max-num | 8",
        "--kv-cache-memory 8 | kv-cache-memory | 8"
      })
  void abbreviationsMeanTheirFlag(String args, String flag, String value) {
    assertThat(server(args.split(" ", -1)).flags())
        .containsExactly(Map.entry(flag, new Value(value, "args")));
  }

  /** As vLLM reads them: a small suffix is decimal, a large one binary. */
  @Test
  void sizesHaveSuffixes() {
    Workload.Vllm server =
        server(
            "--max-model-len=8K",
            "--kv-cache-memory-bytes=4g",
            "--max-num-batched-tokens=16.4k",
            "--max-num-seqs=64");
    VllmSettings settings = VllmArguments.of(VllmVersion.of("0.19"), server.flags()).settings();
    assertThat(settings.maxModelLength()).isEqualTo(8192);
    assertThat(settings.kvCacheBytes()).isEqualTo(4_000_000_000L);
    assertThat(settings.maxBatchedTokens()).isEqualTo(16_400);
    Map<String, Value> many = server("--max-num-batched-tokens=3G").flags();
    assertThatThrownBy(() -> VllmArguments.of(VllmVersion.of("0.19"), many))
        .hasMessageContaining("--max-num-batched-tokens 3G (args) is not a number such as");
  }

  private static List<String> variables(Map<String, String> environment, Set<String> unread) {
    return ((Workload.Vllm)
            new ContainerReader()
                .read(
                    new Container(
                        "vllm/vllm-openai:v0.19.0",
                        List.of(),
                        List.of("--model=$(VLLM_MODEL)"),
                        environment,
                        unread)))
        .notes();
  }

  @ParameterizedTest
  @CsvSource({
    "VLLM_MLA_DISABLE, 1",
    "VLLM_USE_V1, 0",
    "VLLM_ATTENTION_BACKEND, FLASHINFER",
    "VLLM_ALLREDUCE_USE_SYMM_MEM, 0",
    "VLLM_USE_FLASHINFER_SAMPLER, 1"
  })
  void variablesThatMayTakeMemoryAreNamed(String name, String value) {
    assertThat(variables(Map.of(name, value), Set.of()))
        .containsExactly("its variable " + name + " may take memory that is not counted");
    assertThat(variables(Map.of(), Set.of(name))).singleElement().asString().contains(name);
  }

  @Test
  void variablesThatLeaveMemoryAsItIsCostNothing() {
    assertThat(
            variables(
                Map.of(
                    "VLLM_USE_V1", "1",
                    "VLLM_MLA_DISABLE", "0",
                    "VLLM_LOGGING_LEVEL", "DEBUG",
                    "VLLM_NO_USAGE_STATS", "1",
                    "VLLM_MODEL", "a/b",
                    "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", "0"),
                Set.of("VLLM_API_KEY", "HF_TOKEN")))
        .isEmpty();
  }
}
