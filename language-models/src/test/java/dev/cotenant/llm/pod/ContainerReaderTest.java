package dev.cotenant.llm.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.tuning.TuningPrecision;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
    assertThat(server.notes())
        .anyMatch(note -> note.contains("cannot be resolved before the pod runs"));
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
    "uv run vllm serve, a/b",
    "timeout 12h bash -c, uv run vllm serve a/b",
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
    assertThat(server.notes()).anyMatch(note -> note.startsWith("1 command argument "));
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
    TrainingArguments arguments = TrainingArguments.of(job, null);
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
        (Workload.Training) read("img", List.of("torchrun", "train.py"), List.of(args)), null);
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
    assertThat(TrainingArguments.of(job, null).assumed())
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

  private static Workload.Training job(String command, Map<String, Map<String, String>> files) {
    return (Workload.Training)
        new ContainerReader(path -> files.getOrDefault(path, Map.of()))
            .read(
                new Container(
                    "img", List.of(command.split(" ", -1)), List.of(), Map.of(), Set.of()));
  }

  /** Keys of axolotl, LLaMA-Factory and torchtune; the file stands without a flag. */
  @Test
  void librariesReadTheirConfigurationFile() {
    Map<String, String> axolotl =
        Map.of(
            "base_model", "a/b",
            "adapter", "qlora",
            "lora_r", "32",
            "lora_target_linear", "true",
            "sequence_len", "4096",
            "micro_batch_size", "2",
            "gradient_checkpointing", "true",
            "bf16", "auto",
            "optimizer", "adamw_torch");
    for (String command :
        List.of("axolotl train c.yml", "accelerate launch -m axolotl.cli.train c.yml")) {
      Workload.Training job = job(command, Map.of("c.yml", axolotl));
      TrainingArguments found = TrainingArguments.of(job, null);
      assertThat(Objects.requireNonNull(job.model()).text()).isEqualTo("a/b");
      assertThat(job.launcher()).isEqualTo("axolotl");
      assertThat(found.settings().rank()).isEqualTo(32);
      assertThat(found.settings().targets()).containsExactly("all-linear");
      assertThat(found.settings().sequence()).isEqualTo(4096);
      assertThat(found.settings().batch()).isEqualTo(2);
      assertThat(found.settings().precision()).isEqualTo(TuningPrecision.HALF);
      assertThat(Objects.requireNonNull(found.quantization()).method()).isEqualTo("nf4");
    }
    Workload.Training factory =
        job(
            "llamafactory-cli train /c/sft.yaml",
            Map.of(
                "/c/sft.yaml",
                Map.of(
                    "model_name_or_path", "a/b",
                    "finetuning_type", "lora",
                    "lora_target", "all",
                    "cutoff_len", "2048",
                    "quantization_bit", "8",
                    "deepspeed", "/c/z.json"),
                "/c/z.json",
                Map.of("zero_optimization.stage", "2")));
    TrainingArguments found = TrainingArguments.of(factory, null);
    assertThat(found.settings().sequence()).isEqualTo(2048);
    assertThat(found.settings().zeroStage()).isEqualTo(2);
    assertThat(Objects.requireNonNull(found.quantization()).bytesPerWeight()).isEqualTo(1);
    Workload.Training tune =
        job(
            "tune run --nproc_per_node 2 lora_finetune_distributed --config l.yaml",
            Map.of(
                "l.yaml",
                Map.of(
                    "checkpointer.checkpoint_dir", "/m/llama",
                    "model.lora_rank", "8",
                    "model.lora_attn_modules", "q_proj,v_proj",
                    "batch_size", "4",
                    "tokenizer.max_seq_len", "512",
                    "enable_activation_checkpointing", "true")));
    assertThat(Objects.requireNonNull(tune.model()).text()).isEqualTo("/m/llama");
    assertThat(TrainingArguments.of(tune, null).settings())
        .extracting("rank", "batch", "sequence", "gpus", "stack")
        .containsExactly(8, 4, 512, 2, TuningStack.CHECKPOINTED);
    assertThat(job("axolotl train gone.yml", Map.of()).notes())
        .containsExactly("its gone.yml could not be read");
  }

  @Test
  void aScriptWithTheTrainersArgumentsIsTraining() {
    Workload.Training job =
        job("python train.py --model_name_or_path a/b --output_dir /out --bf16", Map.of());
    assertThat(job.launcher()).isEqualTo("python");
    assertThat(job.notes()).isEmpty();
    assertThat(read("img", List.of("python", "train.py"), List.of("--model_name_or_path", "a/b")))
        .isInstanceOf(Workload.Unknown.class);
  }

  @ParameterizedTest
  @CsvSource({
    "--use_dora, use-dora",
    "--neftune_noise_alpha=5, neftune-noise-alpha",
    "--per_device_eval_batch_size=64, per-device-eval-batch-size",
    "--attn_implementation=eager, attn-implementation",
    "--my_option=1, my-option"
  })
  void trainingArgumentsThatMayTakeMemoryAreNamed(String argument, String name) {
    Workload.Training job =
        (Workload.Training)
            read(
                "img",
                List.of("torchrun", "train.py"),
                List.of(
                    "--model_name_or_path=a/b",
                    "--learning_rate=1e-4",
                    "--attn_implementation=flash_attention_2",
                    argument));
    assertThat(job.notes())
        .containsExactly("its --" + name + " may take memory that is not counted");
  }

  @Test
  void modulesToSaveAreTrainedWhole() {
    assertThat(
            training("--use_peft", "--lora_modules_to_save", "embed_tokens", "lm_head")
                .settings()
                .whole())
        .containsExactly("embed_tokens", "lm_head");
    assertThat(training("--modules_to_save=lm_head").settings().whole()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "torchrun --nproc_per_node=4 --nnodes=2, 8",
    "deepspeed --num_gpus=4 --num_nodes=2, 8",
    "accelerate launch --num_processes=8 --num_machines=2, 8",
    "torchrun --nproc_per_node=gpu, 1"
  })
  void processesOfAllNodesShareStates(String command, int gpus) {
    TrainingArguments found =
        TrainingArguments.of(job(command + " train.py --bf16", Map.of()), null);
    assertThat(found.settings().gpus()).isEqualTo(gpus);
    assertThat(found.assumed().stream().anyMatch(line -> line.contains("number of processes")))
        .isEqualTo(command.contains("=gpu"));
  }

  @ParameterizedTest
  @CsvSource({
    "kserve/huggingfaceserver:v0.15-gpu, '--model_id=a/b,--backend=huggingface', a/b",
    "img, 'transformers,serve,--force-model,a/b', a/b",
    "img, 'transformers,serve',"
  })
  void recognisesGenerationWithTransformers(String image, String args, @Nullable String model) {
    Workload.Generation server =
        (Workload.Generation) read(image, List.of(), List.of(args.split(",", -1)));
    Value found = server.model();
    assertThat(found == null ? null : found.text()).isEqualTo(model);
    assertThat(server.notes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "kserve/huggingfaceserver:v0.15-gpu, '--model_id=a/b,--backend=huggingface,--max_length=9'",
    "img, 'transformers,serve,--force-model,a/b,--max-length,9'"
  })
  void namesArgumentsOfGenerationThatAreNotCounted(String image, String args) {
    Workload.Generation server =
        (Workload.Generation) read(image, List.of(), List.of(args.split(",", -1)));
    assertThat(server.notes())
        .containsExactly("its --max-length may take memory that is not counted");
  }

  /** The arguments of vLLM are in the repository of models. */
  @Test
  void readsTheEngineOfTriton() {
    Container container =
        new Container(
            "nvcr.io/nvidia/tritonserver:25.10-vllm-python-py3",
            List.of("tritonserver"),
            List.of("--model-repository=/repo/"),
            Map.of(),
            Set.of());
    Workload.Vllm server =
        (Workload.Vllm)
            new ContainerReader(path ->
                path.equals("/repo/*/1/model.json")
                    ? Map.of("model", "a/b", "gpu_memory_utilization", "0.5")
                    : Map.of())
                .read(container);
    assertThat(Objects.requireNonNull(server.model()).text()).isEqualTo("a/b");
    assertThat(server.flags())
        .containsEntry("gpu-memory-utilization", new Value("0.5", "config /repo/*/1/model.json"));
    assertThat(new ContainerReader().read(container)).isInstanceOf(Workload.Other.class);
  }

  /** A job that goes on with the adapter of the model's folder. */
  @Test
  void anAdapterBesideTheModelHasRankAndTargets() {
    LanguageModel.Adapter adapter = new LanguageModel.Adapter(64, List.of("o_proj"));
    String command = "torchrun train.py --use_peft --torch_dtype bfloat16";
    assertThat(TrainingArguments.of(job(command, Map.of()), adapter).settings())
        .extracting("rank", "targets")
        .containsExactly(64, List.of("o_proj"));
    assertThat(TrainingArguments.of(job(command + " --lora_r 8", Map.of()), adapter).settings())
        .extracting("rank", "targets")
        .containsExactly(8, List.of("o_proj"));
    assertThat(TrainingArguments.of(job("torchrun train.py", Map.of()), adapter).settings().rank())
        .isZero();
  }
}
