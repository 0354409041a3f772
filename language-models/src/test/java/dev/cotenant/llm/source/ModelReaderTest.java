package dev.cotenant.llm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Layers;
import dev.cotenant.llm.model.Quantization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelReaderTest {
  private static final ModelReader READER = ModelReader.standard();

  @TempDir private Path folder = Path.of("");

  private LanguageModel read(String config) throws IOException {
    return READER.read(ModelFolder.write(folder.resolve("model"), config));
  }

  @Test
  void readsADenseDecoder() throws IOException {
    LanguageModel model = read(ModelFolder.LLAMA);
    assertThat(model.attention()).isEqualTo(new Attention.Grouped(32, 8, 128, false));
    assertThat(model.layers()).isEqualTo(new Layers(32, 0, 0, 0));
    assertThat(new Weights(model).parameters()).isBetween(8.03e9, 8.04e9);
    assertThat(model.warnings()).isEmpty();
  }

  @Test
  void readsTheTextPartOfAModelWithVisionAndItsLayerKinds() throws IOException {
    LanguageModel model =
        read(
            """
            {"model_type": "gemma3", "tie_word_embeddings": true, "torch_dtype": "bfloat16",
             "text_config": {"head_dim": 256, "hidden_size": 2560, "intermediate_size": 10240,
               "num_attention_heads": 8, "num_key_value_heads": 4, "num_hidden_layers": 4,
               "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention",
                 "full_attention"], "sliding_window": 1024, "vocab_size": 262208,
               "max_position_embeddings": 1000,
               "rope_scaling": {"factor": 8.0, "rope_type": "linear"}},
             "vision_config": {"hidden_size": 1152, "intermediate_size": 4304,
               "num_hidden_layers": 27, "patch_size": 14, "image_size": 896}}
            """);
    assertThat(model.layers()).isEqualTo(new Layers(1, 3, 0, 1024));
    assertThat(model.visionParameters()).isBetween(400_000_000L, 440_000_000L);
    assertThat(model.positions().tableRows()).isEqualTo(9000);
    assertThat(model.tied()).isTrue();
  }

  @Test
  void readsLatentAttentionAndExperts() throws IOException {
    LanguageModel model =
        read(
            """
            {"model_type": "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10944,
             "kv_lora_rank": 512, "q_lora_rank": null, "qk_nope_head_dim": 128,
             "qk_rope_head_dim": 64, "v_head_dim": 128, "num_attention_heads": 16,
             "num_hidden_layers": 27, "n_routed_experts": 64, "n_shared_experts": 2,
             "num_experts_per_tok": 6, "moe_intermediate_size": 1408, "vocab_size": 102400,
             "first_k_dense_replace": 1, "max_position_embeddings": 163840,
             "auto_map": {"AutoModel": "modeling_deepseek.DeepseekV2Model"}}
            """);
    assertThat(model.attention()).isEqualTo(new Attention.Latent(16, 512, 0, 128, 64, 128));
    assertThat(Objects.requireNonNull(model.feedForward().experts()).layers()).isEqualTo(26);
    assertThat(new Weights(model).parameters()).isBetween(15.7e9, 15.72e9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128} | 0.51953125",
        "{\"quant_method\": \"fp8\"} | 1",
        "{\"quant_method\": \"fbgemm_fp8\"} | 1",
        "{\"quant_method\": \"mxfp4\"} | 0.53125",
        "{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true} | 0.5625",
        "{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"weights\":"
            + " {\"num_bits\": 8, \"type\": \"int\"}}}} | 1",
        "{\"quant_method\": \"novel\"} | 0"
      })
  void readsQuantizations(String stated, double bytesPerWeight) throws IOException {
    LanguageModel model =
        read(ModelFolder.LLAMA.replaceFirst("\\{", "{\"quantization_config\": " + stated + ", "));
    assertThat(model.quantization().bytesPerWeight()).isEqualTo(bytesPerWeight);
  }

  @Test
  void sumsTheHeadersOfShardsAndTakesTheLarger() throws IOException {
    Path model = ModelFolder.write(folder.resolve("sharded"), ModelFolder.LLAMA);
    long bytes = 20_000_000_000L;
    ModelFolder.writeTensor(model.resolve("a.safetensors"), "BF16", bytes / 2, bytes);
    Files.writeString(
        model.resolve("model.safetensors.index.json"),
        "{\"metadata\": {\"total_size\": 7}, \"weight_map\": {\"w\": \"a.safetensors\"}}");
    LanguageModel read = READER.read(model);
    assertThat(Objects.requireNonNull(read.stored()).bytes()).isEqualTo(bytes);
    assertThat(new Weights(read).bytesPerGpu(1, 1)).isGreaterThan((double) bytes);
    assertThat(new Weights(read).contradiction()).get().asString().contains("the larger counts");
  }

  /** Mistral's folders hold the weights twice; engines load them once. */
  @Test
  void aConsolidatedCopyCountsWhereItIsAlone() throws IOException {
    Path model = ModelFolder.write(folder.resolve("twice"), ModelFolder.LLAMA);
    ModelFolder.writeTensor(model.resolve("consolidated.safetensors"), "BF16", 8, 16);
    assertThat(Objects.requireNonNull(READER.read(model).stored()).bytes()).isEqualTo(16);
    ModelFolder.writeTensor(model.resolve("model.safetensors"), "BF16", 8, 16);
    assertThat(Objects.requireNonNull(READER.read(model).stored()).bytes()).isEqualTo(16);
  }

  private static void refused(Path path, String message) {
    assertThatThrownBy(() -> READER.read(path))
        .isInstanceOf(InputException.class)
        .hasMessage(message);
  }

  @Test
  void weightsAloneNameTheirFolder() throws IOException {
    Path model = ModelFolder.write(folder.resolve("shard"), ModelFolder.LLAMA);
    Path shard = ModelFolder.writeSafetensors(model.resolve("model.safetensors"), "{}", 0);
    assertThat(ModelReader.reads(shard)).isTrue();
    refused(shard, shard + ": holds weights alone; name the folder of its config.json.");
  }

  @Test
  void aPointerOfGitLfsIsNamed() throws IOException {
    Path model = ModelFolder.write(folder.resolve("pointers"), ModelFolder.LLAMA);
    Files.writeString(
        model.resolve("model.safetensors"),
        "version https://git-lfs.github.com/spec/v1\noid sha256:0a\nsize 16060556376\n");
    refused(
        model,
        model.resolve("model.safetensors")
            + ": it is a pointer of Git LFS in place of the weights; fetch them with 'git lfs"
            + " pull', or name config.json alone.");
  }

  @Test
  void aBadFileIsNamedWithItsFolder() throws IOException {
    Path model = ModelFolder.write(folder.resolve("torn"), ModelFolder.LLAMA);
    Path torn = Files.writeString(model.resolve("model.safetensors"), "");
    refused(model, torn + ": it is shorter than 8 bytes; download the file again.");
  }

  @Test
  void countsFromTheConfigurationWhereShardsAreMissing() throws IOException {
    Path model = ModelFolder.write(folder.resolve("partial"), ModelFolder.LLAMA);
    Files.writeString(
        model.resolve("model.safetensors.index.json"),
        "{\"weight_map\": {\"w\": \"gone.safetensors\"}}");
    LanguageModel read = READER.read(model);
    assertThat(read.stored()).isNull();
    assertThat(read.warnings()).anyMatch(line -> line.contains("1 of 1 shards are missing"));
  }

  @Test
  void neverReadsPickles() throws IOException {
    Path model = ModelFolder.write(folder.resolve("pickled"), ModelFolder.LLAMA);
    Files.writeString(model.resolve("pytorch_model.bin"), "(cos\nsystem\n");
    assertThat(READER.read(model).warnings()).anyMatch(line -> line.contains("never read"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"../secret.safetensors", "/etc/passwd", "a/b.safetensors", "a\\u0000b", ".."})
  void refusesShardsOutsideTheFolder(String name) throws IOException {
    Path model = ModelFolder.write(folder.resolve("hostile"), ModelFolder.LLAMA);
    Files.writeString(
        model.resolve("model.safetensors.index.json"),
        "{\"weight_map\": {\"w\": \"" + name + "\"}}");
    assertThatThrownBy(() -> READER.read(model))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("not a plain file name");
  }

  @Test
  void refusesLinksThatLeaveTheFolder() throws IOException {
    Path model = ModelFolder.write(folder.resolve("linked"), ModelFolder.LLAMA);
    Path outside = Files.write(folder.resolve("outside"), ModelFolder.safetensors("{}"));
    Files.createSymbolicLink(model.resolve("a.safetensors"), outside);
    Files.writeString(
        model.resolve("model.safetensors.index.json"),
        "{\"weight_map\": {\"w\": \"a.safetensors\"}}");
    assertThatThrownBy(() -> READER.read(model)).hasMessageContaining("leaves the folder");
  }

  @ParameterizedTest
  @ValueSource(strings = {"config.json", "model.safetensors", "adapter_config.json"})
  void noFileOfAFolderMayLeadOutOfIt(String name) throws IOException {
    Path model = ModelFolder.write(folder.resolve("linked"), ModelFolder.LLAMA);
    Path outside = Files.writeString(folder.resolve("outside"), ModelFolder.LLAMA);
    Files.deleteIfExists(model.resolve(name));
    Files.createSymbolicLink(model.resolve(name), outside);
    assertThatThrownBy(() -> READER.read(model)).hasMessageContaining("leaves the folder");
  }

  @Test
  void refusesMoreShardsThanItReads() throws IOException {
    Path model = ModelFolder.write(folder.resolve("many"), ModelFolder.LLAMA);
    for (int i = 0; i < 4; i++) {
      Files.write(model.resolve(i + ".safetensors"), ModelFolder.safetensors("{}"));
    }
    SourceLimits few = new SourceLimits(1 << 20, 1 << 20, 1 << 20, 100, 3, 32);
    assertThatThrownBy(() -> new ModelReader(few).read(model))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("more than 3 files '*.safetensors'");
  }

  @Test
  void readsARepositoryOfTheCacheThroughItsLinks() throws IOException {
    Path repository = folder.resolve("models--a--b");
    Path snapshot =
        ModelFolder.write(repository.resolve("snapshots").resolve("abc"), ModelFolder.LLAMA);
    Path blob =
        ModelFolder.writeTensor(
            Files.createDirectories(repository.resolve("blobs")).resolve("1f"), "F8_E4M3", 4, 4);
    Files.createSymbolicLink(snapshot.resolve("a.safetensors"), blob);
    Files.writeString(
        snapshot.resolve("model.safetensors.index.json"),
        "{\"weight_map\": {\"w\": \"a.safetensors\"}}");
    Files.createDirectories(repository.resolve("refs"));
    Files.writeString(repository.resolve("refs").resolve("main"), "abc\n");
    assertThat(Objects.requireNonNull(READER.read(repository).stored()).bytesByType())
        .containsEntry("F8_E4M3", 4L);
  }

  @Test
  void readsAGgufFileAndItsTypes() throws IOException {
    LanguageModel model = READER.read(ModelFolder.writeGguf(folder.resolve("tiny.gguf")));
    assertThat(model.vocabulary()).isEqualTo(1000);
    assertThat(model.attention()).isEqualTo(new Attention.Grouped(8, 2, 32, false));
    assertThat(Objects.requireNonNull(model.stored()).bytesByType())
        .containsEntry("Q4_K", 144_000L)
        .containsEntry("Q6_K", 210_000L);
    assertThat(model.quantization().method()).isEqualTo("gguf");
  }

  /** As vLLM's defaults, {@code _get_and_verify_max_len}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "llama | {\"type\": \"linear\", \"factor\": 4.0} | 16384",
        "llama | {\"type\": \"dynamic\", \"factor\": 2.0} | 8192",
        "qwen2 | {\"rope_type\": \"yarn\", \"factor\": 4.0,"
            + " \"original_max_position_embeddings\": 32768} | 131072",
        "qwen2 | {\"rope_type\": \"yarn\", \"factor\": 4.0} | 16384",
        "llama | {\"rope_type\": \"llama3\", \"factor\": 8.0} | 4096",
        "phi3 | {\"type\": \"longrope\"} | 4096",
        "gemma3_text | {\"rope_type\": \"linear\", \"factor\": 8.0} | 4096",
        "qwen2_vl | {\"type\": \"mrope\"} | 4096"
      })
  void theLongestSequenceFollowsTheScalingOfPositions(String type, String scaling, long longest)
      throws IOException {
    String config =
        "{\"model_type\": \"%s\", \"hidden_size\": 64, \"num_hidden_layers\": 2,".formatted(type)
            + " \"num_attention_heads\": 4, \"vocab_size\": 100,"
            + " \"max_position_embeddings\": 4096, \"rope_scaling\": "
            + scaling
            + "}";
    assertThat(read(config).positions().longest()).isEqualTo(longest);
    assertThat(read(config).positions().limited()).isTrue();
  }

  @Test
  void aModelWithoutALongestSequenceLimitsNone() throws IOException {
    LanguageModel model =
        read(
            "{\"model_type\": \"falcon\", \"hidden_size\": 64, \"num_hidden_layers\": 2,"
                + " \"num_attention_heads\": 4, \"vocab_size\": 100}");
    assertThat(model.positions().longest()).isEqualTo(2048);
    assertThat(model.positions().limited()).isFalse();
  }

  @Test
  void readsAnAdapterBesideItsModelAndRefusesOneAlone() throws IOException {
    Path model = ModelFolder.write(folder.resolve("adapted"), ModelFolder.LLAMA);
    Files.writeString(
        model.resolve("adapter_config.json"),
        "{\"r\": 32, \"target_modules\": [\"q_proj\", \"v_proj\"]}");
    assertThat(Objects.requireNonNull(READER.read(model).adapter()).rank()).isEqualTo(32);
    Files.delete(model.resolve("config.json"));
    assertThatThrownBy(() -> READER.read(model)).hasMessageContaining("base model");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | lacks hidden_size",
        "[] | does not begin with {",
        "{\"hidden_size\": 4096, \"hidden_size\": 1} | Duplicate field",
        "{\"hidden_size\": -1} | not a whole number from 1",
        "{\"hidden_size\": 1e300} | not a whole number",
        "{\"hidden_size\": 0.5} | not a whole number",
        "{\"hidden_size\": \"4096\"} | not a whole number",
        "{\"hidden_size\": 99999999999999999999} | not a whole number",
        "{\"hidden_size\": 100, \"num_hidden_layers\": 1, \"num_attention_heads\": 3} | not a"
            + " multiple",
        "{\"hidden_size\": 8, \"num_hidden_layers\": 1, \"num_attention_heads\": 8,"
            + " \"num_key_value_heads\": 3} | cannot share",
        "{\"hidden_size\": 8, \"num_hidden_layers\": 2000000, \"num_attention_heads\": 1} |"
            + " num_hidden_layers",
        "{\"text_config\": 7} | not an object"
      })
  void refusesHostileConfigurations(String config, String problem) {
    assertThatThrownBy(() -> read(config))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("config.json")
        .hasMessageContaining(problem);
  }

  @Test
  void refusesDeepJson() {
    assertThatThrownBy(() -> read("{\"a\":".repeat(100_000)))
        .isInstanceOf(InputException.class)
        .hasMessageEndingWith("depth (33) exceeds the maximum allowed (32).");
  }

  /** Of its parser's own settings and names it says nothing. */
  @Test
  void namesThePlaceWhereADocumentEnds() {
    assertThatThrownBy(() -> read("{"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("for Object (start marker at line 1, column 1)");
  }

  @Test
  void warnsOfAnUnknownArchitecture() throws IOException {
    LanguageModel model = read(ModelFolder.LLAMA.replace("\"llama\"", "\"novel\\u001b[31m\""));
    assertThat(model.warnings()).anyMatch(line -> line.startsWith("unknown architecture novel"));
    assertThat(model.type()).doesNotContain("\u001b");
    assertThat(model.quantization()).isEqualTo(Quantization.NONE);
  }

  @Test
  void namesAFolderWithoutAModel() {
    assertThatThrownBy(() -> READER.read(folder))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("holds no config.json");
  }

  /** Opening a pipe without a writer never ends. */
  @ParameterizedTest
  @ValueSource(strings = {"config.json", "model.safetensors", "model.gguf"})
  void refusesPipes(String name) throws IOException, InterruptedException {
    Path model = ModelFolder.write(folder.resolve("piped"), ModelFolder.LLAMA);
    Path pipe = model.resolve(name);
    Files.deleteIfExists(pipe);
    int exitCode = new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor();
    assertThat(exitCode).isZero();
    Path read = name.endsWith(".gguf") ? pipe : model;
    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () ->
            assertThatThrownBy(() -> READER.read(read))
                .isInstanceOf(InputException.class)
                .hasMessageContaining(name + ": is not a regular file"));
  }
}
