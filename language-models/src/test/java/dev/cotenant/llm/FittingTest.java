package dev.cotenant.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.llm.MemoryPrediction.Serving;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a process fits its GPU, and a sequence its pool. */
class FittingTest {
  private static final double GIB = 1L << 30;
  private static final ServingCard H100 =
      ServingCard.of(DeviceCatalogue.builtIn().require("h100-80gb"));

  /** Ten full layers and 52 with a window, as of gemma-3-27b. */
  private static final String WINDOWED =
      """
      {"model_type": "gemma3_text", "hidden_size": 5376, "intermediate_size": 21504,
       "num_hidden_layers": 62, "num_attention_heads": 32, "num_key_value_heads": 16,
       "head_dim": 128, "vocab_size": 262208, "max_position_embeddings": 131072,
       "sliding_window": 1024, "torch_dtype": "bfloat16"}
      """;

  @TempDir private Path folder = Path.of("");

  private MemoryPrediction predict(String config, Map<String, String> flags) throws IOException {
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, config));
    Map<String, Value> values =
        flags.entrySet().stream()
            .collect(
                java.util.stream.Collectors.toMap(
                    Map.Entry::getKey, flag -> new Value(flag.getValue(), "args")));
    return new MemoryPredictor(0.9)
        .serving(model, VllmArguments.of(VllmVersion.MEASURED, values).settings(), H100, 1);
  }

  private static Serving serving(MemoryPrediction prediction) {
    return Objects.requireNonNull(prediction.serving());
  }

  @ParameterizedTest
  @CsvSource({
    "kv-cache-memory-bytes, 70G, does not fit: it takes 88",
    "gpu-memory-utilization, 0.99, does not fit: it takes 79.8 GiB"
  })
  void whatExceedsTheCardDoesNotFit(String flag, String value, String line) throws IOException {
    MemoryPrediction found =
        predict(ModelFolder.LLAMA, Map.of(flag, value, "max-model-len", "8192"));
    assertThat(found.warnings()).anyMatch(warning -> warning.startsWith(line));
    assertThat(serving(found).starts()).isFalse();
  }

  @Test
  void whatMayExceedItIsNamed() throws IOException {
    MemoryPrediction found =
        predict(
            ModelFolder.LLAMA, Map.of("gpu-memory-utilization", "0.98", "max-model-len", "8192"));
    assertThat(found.warnings()).anyMatch(warning -> warning.startsWith("may not fit"));
    assertThat(serving(found).starts()).isTrue();
    assertThat(predict(ModelFolder.LLAMA, Map.of("max-model-len", "8192")).warnings()).isEmpty();
  }

  /** 8,192 blocks of a full group and 577 of each of six windowed ones. */
  @Test
  void aSequenceTakesItsWindowAndABatchOfWindowedLayers() throws IOException {
    MemoryPrediction found = predict(WINDOWED, Map.of());
    assertThat(serving(found).leastKvCacheBytes()).isEqualTo((8192 + 6 * 577L) * 160 * 8192);
    assertThat(serving(found).starts()).isTrue();
  }

  /** vLLM 0.19 logs "Maximum concurrency for 8,192 tokens per request: 4.46x" of this pool. */
  @Test
  void sequencesAreThoseThatVllmLogs() throws IOException {
    MemoryPrediction found =
        predict(
            WINDOWED,
            Map.of("max-model-len", "8192", "kv-cache-memory-bytes", (long) (19.53 * GIB) + ""));
    assertThat(serving(found).sequences()).isCloseTo(4.46, within(0.005));
  }

  @Test
  void aWindowInEveryLayerIsAllThatASequenceTakes() throws IOException {
    MemoryPrediction found =
        predict(
            ModelFolder.LLAMA.replace(
                "\"model_type\": \"llama\"",
                "\"model_type\": \"mistral\", \"sliding_window\": 4096"),
            Map.of());
    assertThat(serving(found).leastKvCacheBytes()).isEqualTo(769L * 16 * 131_072);
  }

  /** {@code VLLM_ALLOW_LONG_MAX_MODEL_LEN}, and a model that states no length. */
  @Test
  void aLongerSequenceIsServedWhereVllmAllowsIt() throws IOException {
    Map<String, Value> flags =
        Map.of(
            "max-model-len", new Value("200000", "args"),
            "VLLM_ALLOW_LONG_MAX_MODEL_LEN", new Value("1", "env"));
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
    VllmSettings settings = VllmArguments.of(VllmVersion.MEASURED, flags).settings();
    MemoryPredictor predictor = new MemoryPredictor(0.9);
    assertThatThrownBy(() -> predictor.serving(model, settings, H100, 1))
        .hasMessageContaining("--max-model-len 200000 is above the 131072 tokens");
    LanguageModel allowed = VllmArguments.modelAsRun(model, flags);
    assertThat(serving(predictor.serving(allowed, settings, H100, 1)).leastKvCacheBytes())
        .isEqualTo(200_000L * 131_072);
  }

  private MemoryPrediction predict(Unread unread) throws IOException {
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
    return new MemoryPredictor(0.9)
        .serving(model, VllmSettings.of(VllmVersion.MEASURED), H100, 1, unread);
  }

  /** What is unread may be the utilization: a server takes up to its GPU. */
  @Test
  void anUnreadArgumentBoundsTheProcessByTheGpu() throws IOException {
    MemoryPrediction known = predict(Unread.NONE);
    List<String> lines = List.of("its --config a.yaml could not be read");
    MemoryPrediction found = predict(Unread.of(false, lines));
    assertThat(found.peak().mean()).isEqualTo(known.peak().mean());
    assertThat(found.peak().upper()).isEqualTo((long) H100.totalBytes());
    assertThat(found.peak().coverage()).isNull();
    assertThat(found.warnings()).containsAll(lines);
  }

  @Test
  void anUncountedArgumentWidensTheBound() throws IOException {
    MemoryPrediction known = predict(Unread.NONE);
    List<String> lines = List.of("--enable-lora (slots of adapters) is not counted");
    MemoryPrediction found = predict(Unread.of(false, lines));
    long width = known.peak().upper() - known.peak().mean();
    assertThat(found.peak().upper())
        .isBetween(known.peak().upper() + width - 2, (long) H100.totalBytes() - 1);
    assertThat(found.peak().coverage()).isNull();
    assertThat(serving(found).least().coverage()).isNull();
    assertThat(found.warnings()).containsAll(lines);
  }

  /** Newer releases take 0.92 of a GPU where older ones take 0.90. */
  @Test
  void anUnstatedVersionMayHaveTheDefaultsOfANewerOne() throws IOException {
    MemoryPrediction found =
        predict(Unread.of(true, List.of("its image names no version: taken as the newest")));
    VllmSettings newer = VllmSettings.of(new VllmVersion(0, 21));
    MemoryPrediction other =
        new MemoryPredictor(0.9)
            .serving(
                ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA)),
                newer,
                H100,
                1);
    assertThat(found.peak().upper()).isBetween(other.peak().mean(), (long) H100.totalBytes() - 1);
    assertThat(found.peak().coverage()).isNull();
  }
}
