package dev.cotenant.llm.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.tuning.TuningPrecision;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerReaderTest {
  private static final String IMAGE = "vllm/vllm-openai:v0.19.0";

  private static Workload read(String image, List<String> command, List<String> args) {
    return new ContainerReader()
        .read(
            new Container(
                image, command, args, Map.of("MODEL", "a/b", "LEN", "4096"), Set.of("SECRET")));
  }

  private static Workload.Vllm vllm(String... args) {
    return (Workload.Vllm) read(IMAGE, List.of(), List.of(args));
  }

  @Test
  void readsBothSpellingsAndTheLastOccurrence() {
    Workload.Vllm server =
        vllm("--model", "a/b", "--max_model_len=1k", "-tp", "2", "--max-model-len", "2K");
    VllmSettings settings = VllmArguments.of(VllmVersion.of("0.19"), server.flags()).settings();
    assertThat(server.model()).isEqualTo(new Value("a/b", "args"));
    assertThat(server.version()).isEqualTo(new Value("v0.19.0", "image"));
    assertThat(settings.maxModelLength()).isEqualTo(2048);
    assertThat(settings.tensor()).isEqualTo(2);
  }

  @Test
  void switchesTakeNoValueAndNegate() {
    Workload.Vllm server = vllm("--enforce-eager", "a/b", "--no-enable-prefix-caching");
    assertThat(Objects.requireNonNull(server.model()).text()).isEqualTo("a/b");
    assertThat(VllmArguments.of(VllmVersion.MEASURED, server.flags()).settings().eager()).isTrue();
    assertThat(server.flags().get("enable-prefix-caching")).isEqualTo(new Value("false", "args"));
  }

  @Test
  void settingsOfAConfigurationFileYieldToArguments() {
    Container container =
        new Container(
            IMAGE,
            List.of("vllm", "serve", "a/b"),
            List.of("--config", "/etc/v.yaml", "--max-num-seqs", "8"),
            Map.of(),
            Set.of());
    Workload.Vllm server =
        (Workload.Vllm)
            new ContainerReader(_ -> Map.of("max_num_seqs", "64", "dtype", "float16"))
                .read(container);
    assertThat(server.flags().get("max-num-seqs")).isEqualTo(new Value("8", "args"));
    assertThat(server.flags().get("dtype")).isEqualTo(new Value("float16", "config /etc/v.yaml"));
    assertThat(((Workload.Vllm) new ContainerReader().read(container)).notes())
        .anyMatch(note -> note.contains("/etc/v.yaml could not be read"));
  }

  @Test
  void expandsLiteralsOfAShellAndRunsNothing() {
    Workload.Vllm server =
        (Workload.Vllm)
            read(
                "img",
                List.of("/bin/sh", "-c"),
                List.of(
                    "cd /x && exec vllm serve \"$MODEL\" --max-model-len ${LEN} --dtype $(id)"
                        + " --seed `date` # note"));
    assertThat(Objects.requireNonNull(server.model()).text()).isEqualTo("a/b");
    assertThat(server.flags().get("max-model-len")).isEqualTo(new Value("4096", "args"));
    assertThat(server.flags()).doesNotContainKey("dtype");
    assertThat(server.notes()).anyMatch(note -> note.contains("only the running pod knows"));
  }

  @ParameterizedTest
  @CsvSource({
    "vllm/vllm-openai:v0.19.0, sleep",
    "vllm/vllm-openai:v0.19.0, python3 benchmark.py",
    "lmsysorg/sglang:v0.5, bash -c ls"
  })
  void aCommandReplacesTheImagesEntryPoint(String image, String command) {
    assertThat(read(image, List.of(command.split(" ", -1)), List.of("--model", "a/b")))
        .isInstanceOf(Workload.Unknown.class);
  }

  @ParameterizedTest
  @CsvSource({
    "/usr/bin/tini -- vllm serve, a/b",
    "/opt/nvidia/nvidia_entrypoint.sh vllm serve, a/b",
    "tini -g -- bash -c, exec vllm serve a/b",
    "/docker-entrypoint.sh, --model=a/b"
  })
  void wrappersRunWhatFollowsThem(String command, String argument) {
    Workload.Vllm server =
        (Workload.Vllm) read(IMAGE, List.of(command.split(" ", -1)), List.of(argument));
    assertThat(Objects.requireNonNull(server.model()).text()).isEqualTo("a/b");
  }

  @Test
  void variablesWithoutQuotesAreSplit() {
    Container container =
        new Container(
            "img",
            List.of("sh", "-c"),
            List.of("vllm serve a/b $MORE --seed=\"$MORE\" $NONE $FILES"),
            Map.of("MORE", " --max-num-seqs 8  --dtype float16 ", "NONE", "", "FILES", "/x/*"),
            Set.of());
    Workload.Vllm server = (Workload.Vllm) new ContainerReader().read(container);
    assertThat(server.flags())
        .containsEntry("max-num-seqs", new Value("8", "args"))
        .containsEntry("dtype", new Value("float16", "args"));
    assertThat(Objects.requireNonNull(server.flags().get("seed")).text())
        .contains("--max-num-seqs 8");
    assertThat(server.notes()).anyMatch(note -> note.startsWith("1 words"));
  }

  @Test
  void referencesOfKubernetesNeedALiteralValue() {
    Workload.Vllm server = vllm("--model=$(MODEL)", "--max-model-len=$(SECRET)");
    assertThat(Objects.requireNonNull(server.model()).text()).isEqualTo("a/b");
    assertThat(server.flags()).doesNotContainKey("max-model-len");
  }

  @ParameterizedTest
  @CsvSource({
    "lmsysorg/sglang:v0.5, '--model-path,a/b', sglang, a/b",
    "ghcr.io/huggingface/text-generation-inference:3, '--model-id,a/b', tgi, a/b",
    "ghcr.io/ggml-org/llama.cpp:server, '-m,/m/x.gguf', llama.cpp, /m/x.gguf",
    "ollama/ollama, serve, ollama,",
    "nvcr.io/nvidia/tritonserver:25, x, triton,"
  })
  void recognisesOtherEngines(String image, String args, String engine, String model) {
    Workload.Other other = (Workload.Other) read(image, List.of(), List.of(args.split(",", -1)));
    assertThat(other.engine()).isEqualTo(engine);
    Value found = other.model();
    assertThat(found == null ? null : found.text()).isEqualTo(model);
  }

  @Test
  void readsTrainingUnderALauncher() {
    Workload.Training job =
        (Workload.Training)
            read(
                "img",
                List.of("torchrun", "--nproc_per_node=2", "train.py"),
                List.of(
                    "--model_name_or_path=a/b",
                    "--use_peft",
                    "--lora_r",
                    "32",
                    "--lora_target_modules",
                    "q_proj,v_proj",
                    "--load_in_4bit",
                    "--gradient_checkpointing",
                    "--per_device_train_batch_size",
                    "4",
                    "--max_length",
                    "2048",
                    "--fsdp",
                    "full_shard auto_wrap"));
    TrainingArguments arguments = TrainingArguments.of(job);
    TuningSettings settings = arguments.settings();
    assertThat(settings.stack()).isEqualTo(TuningStack.CHECKPOINTED);
    assertThat(settings.rank()).isEqualTo(32);
    assertThat(settings.targets()).containsExactly("q_proj", "v_proj");
    assertThat(settings.batch()).isEqualTo(4);
    assertThat(settings.sequence()).isEqualTo(2048);
    assertThat(settings.gpus()).isEqualTo(2);
    assertThat(settings.zeroStage()).isEqualTo(3);
    assertThat(Objects.requireNonNull(arguments.quantization()).method()).isEqualTo("nf4");
    assertThat(arguments.assumed()).isEmpty();
  }

  private static TrainingArguments training(String... args) {
    return TrainingArguments.of(
        (Workload.Training) read("img", List.of("torchrun", "train.py"), List.of(args)));
  }

  @Test
  void targetsMayBeSeveralWords() {
    assertThat(
            training("--lora_target_modules", "q_proj", "k_proj", "v_proj", "--bf16")
                .settings()
                .targets())
        .containsExactly("q_proj", "k_proj", "v_proj");
    assertThat(training("--lora_target", "all").settings().targets()).containsExactly("all-linear");
    assertThat(training("--target_modules=[\"q_proj\", \"o_proj\"]").settings().targets())
        .containsExactly("q_proj", "o_proj");
  }

  @ParameterizedTest
  @CsvSource({
    "--use_peft --torch_dtype bfloat16, HALF, false",
    "--use_peft --load_in_4bit, HALF, false",
    "--use_peft --bf16, MIXED, true",
    "--bf16 --torch_dtype float32, MIXED, false",
    "--fp16 --deepspeed x, MIXED, false",
    "--mixed_precision bf16, MIXED, true",
    "--torch_dtype=float32, SINGLE, false",
    "--max_length 512, SINGLE, true"
  })
  void precisionFollowsTypeAndMixedPrecision(String args, TuningPrecision precision, boolean said) {
    TrainingArguments found = training(args.split(" ", -1));
    assertThat(found.settings().precision()).isEqualTo(precision);
    assertThat(found.assumed().stream().anyMatch(line -> line.contains("torch_dtype")))
        .isEqualTo(said);
  }

  @Test
  void namesWhatAJobDoesNotState() {
    Workload.Training job =
        (Workload.Training) read("img", List.of("deepspeed", "train.py"), List.of());
    assertThat(TrainingArguments.of(job).assumed())
        .anyMatch(line -> line.contains("every parameter is trained"))
        .anyMatch(line -> line.contains("per_device_train_batch_size"))
        .anyMatch(line -> line.contains("ZeRO"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--max-model-len=-5", "--max-model-len=many", "--tensor-parallel-size=0",
        "--gpu-memory-utilization=2", "--gpu-memory-utilization=NaN", "--max-num-seqs=1e9",
        "--kv-cache-memory-bytes=999999999999999T", "--tensor-parallel-size=99999999999"
      })
  void refusesHostileValues(String flag) {
    Workload.Vllm server = vllm("a/b", flag);
    assertThatThrownBy(() -> VllmArguments.of(VllmVersion.MEASURED, server.flags()))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(flag.substring(0, flag.indexOf('=')));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "latest", "0", "1.x", "0.19.0;rm", "9999999.1"})
  void refusesVersions(String text) {
    assertThatThrownBy(() -> VllmVersion.of(text)).hasMessageContaining("write it as 0.19");
  }

  @ParameterizedTest
  @ValueSource(strings = {"'", "\"", "${", "$(", "a\\", "$", "`", "\u0000", "${A", "$(a$(b)"})
  void brokenShellsAreRead(String script) {
    assertThat(read("img", List.of("sh", "-c"), List.of(script)))
        .isInstanceOf(Workload.Unknown.class);
  }
}
