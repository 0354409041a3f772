package dev.cotenant.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.llm.MemoryPrediction.Serving;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.Parallelism;
import dev.cotenant.llm.serving.ReleaseCoefficients;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingCoefficients;
import dev.cotenant.llm.serving.ServingConstants;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemoryPredictorTest extends LlamaMemory {
  private static final ServingCard H100 = card("h100-80gb");

  private static ServingCard card(String id) {
    return ServingCard.of(DeviceCatalogue.builtIn().require(id));
  }

  private MemoryPrediction serving(String version, ServingCard card, String... flags)
      throws IOException {
    Map<String, Value> values = new HashMap<>();
    for (String flag : flags) {
      int equals = flag.indexOf('=');
      values.put(flag.substring(0, equals), new Value(flag.substring(equals + 1), "args"));
    }
    VllmArguments arguments = VllmArguments.of(VllmVersion.of(version), values);
    return PREDICTOR.serving(
        VllmArguments.modelAsRun(llama(), values), arguments.settings(), card, 1);
  }

  /** Learned constants may lower what is expected, never the bound that neighbours rest on. */
  @Test
  void whatIsLearnedLowersNoBound() throws IOException {
    VllmVersion version = VllmVersion.of("0.19");
    ServingCoefficients shipped = LearnedServing.NONE.coefficients(version);
    ServingCoefficients lower =
        new ServingConstants(0, -1e9, Map.of(Parallelism.NONE, 0.0), Map.of(Parallelism.NONE, 0.0))
            .coefficients(version);
    ServingCoefficients higher =
        new ServingConstants(
                shipped.logitBytes(),
                shipped.graphBytes()[0] + GIB,
                shipped.nonTorchBytes(),
                shipped.contextBytes())
            .coefficients(version);
    for (Long pinned : new @Nullable Long[] {null, (long) (4 * GIB)}) {
      VllmSettings settings =
          new VllmSettings(version, 1, 1, 8192L, null, pinned, null, null, null, false, null);
      MemoryPrediction usual = PREDICTOR.serving(llama(), settings, H100, 1);
      MemoryPrediction low = learned(lower).serving(llama(), settings, H100, 1);
      MemoryPrediction high = learned(higher).serving(llama(), settings, H100, 1);
      assertThat(low.peak().mean()).isLessThan(usual.peak().mean());
      assertThat(low.peak().upper()).isEqualTo(usual.peak().upper());
      assertThat(least(low).upper()).isEqualTo(least(usual).upper());
      assertThat(high.peak().upper()).isGreaterThan(usual.peak().upper());
    }
  }

  private static MemoryPrediction.Bounded least(MemoryPrediction prediction) {
    return Objects.requireNonNull(prediction.serving()).least();
  }

  private static MemoryPredictor learned(ServingCoefficients inForce) {
    return new MemoryPredictor(
        0.9,
        new ReleaseCoefficients() {
          @Override
          public boolean isPromoted(VllmVersion version) {
            return true;
          }

          @Override
          public ServingCoefficients coefficients(VllmVersion version) {
            return inForce;
          }
        });
  }

  @Test
  void partsAreThoseThatVllmLogs() throws IOException {
    MemoryPrediction found =
        serving("0.19", H100, "max-model-len=8192", "gpu-memory-utilization=0.95");
    assertThat(gib(found, "weights_bytes")).isCloseTo(14.99, within(0.02));
    assertThat(gib(found, "activation_bytes")).isCloseTo(1.89, within(0.02));
    assertThat(gib(found, "kv_cache_bytes")).isCloseTo(58.11, within(0.05));
    Serving serving = Objects.requireNonNull(found.serving());
    assertThat(serving.tokens()).isBetween(475_500L, 476_500L);
    assertThat(serving.sequences()).isCloseTo(58.1, within(0.1));
    assertThat(serving.least().upper()).isLessThan((long) (22 * GIB));
    assertThat(found.peak().upper()).isGreaterThan(found.peak().mean());
    assertThat(found.peak().coverage()).isEqualTo(0.9);
    assertThat(found.warnings()).isEmpty();
  }

  @Test
  void graphsCountWithinTheUtilizationFromRelease021() throws IOException {
    MemoryPrediction before = serving("0.19", H100, "gpu-memory-utilization=0.9");
    MemoryPrediction after = serving("0.21", H100, "gpu-memory-utilization=0.9");
    assertThat(gib(before, "kv_cache_bytes") - gib(after, "kv_cache_bytes"))
        .isCloseTo(gib(after, "cuda_graph_bytes"), within(0.01));
    assertThat(after.peak().coverage()).isNull();
    assertThat(after.warnings()).anyMatch(line -> line.contains("not measured: vLLM 0.21"));
  }

  @Test
  void defaultsFollowTheCard() throws IOException {
    double large = gib(serving("0.19", H100), "activation_bytes");
    double small =
        gib(serving("0.19", card("a100-80gb"), "max-model-len=4096"), "activation_bytes");
    assertThat(large / small).isBetween(3.5, 4.5); // 1,024 sequences against 256
  }

  /** As vLLM: a default batch has no more sequences than tokens, and no tokens beyond theirs. */
  @Test
  void defaultsLimitEachOther() throws IOException {
    assertThat(serving("0.19", H100, "max-num-batched-tokens=512").parts())
        .isEqualTo(serving("0.19", H100, "max-num-batched-tokens=512", "max-num-seqs=512").parts());
    String[] few = {"max-num-seqs=2", "max-model-len=1024"};
    assertThat(serving("0.19", H100, few).parts())
        .isEqualTo(serving("0.19", H100, few[0], few[1], "max-num-batched-tokens=2048").parts());
    assertThat(gib(serving("0.12", H100, few), "activation_bytes"))
        .isGreaterThan(gib(serving("0.19", H100, few), "activation_bytes"));
    assertThatThrownBy(() -> serving("0.19", card("l4"), "max-num-seqs=4096"))
        .hasMessageContaining("--max-num-seqs 4096 is above the 2048 tokens of a batch");
  }

  @Test
  void aPinnedCacheReplacesTheUtilization() throws IOException {
    MemoryPrediction found =
        serving(
            "0.19",
            H100,
            "kv-cache-memory-bytes=2G",
            "gpu-memory-utilization=0.5",
            "max-model-len=8192");
    assertThat(gib(found, "kv_cache_bytes")).isEqualTo(2);
    assertThat(found.warnings()).anyMatch(line -> line.contains("has no effect"));
  }

  /** Unless its pool holds nothing. */
  @Test
  void aFittedLengthStarts() throws IOException {
    MemoryPrediction found = serving("0.19", card("l4"), "max-model-len=auto");
    assertThat(Objects.requireNonNull(found.serving()).starts()).isTrue();
    assertThat(Objects.requireNonNull(found.serving()).sequences()).isEqualTo(1);
    assertThat(found.warnings()).noneMatch(line -> line.contains("would not start"));
    assertThat(serving("0.19", H100, "max-model-len=-1")).isEqualTo(serving("0.19", H100));
    MemoryPrediction small = serving("0.19", card("t4"), "max-model-len=auto");
    assertThat(Objects.requireNonNull(small.serving()).starts()).isFalse();
  }

  @Test
  void saysWhereTheEngineWouldNotStart() throws IOException {
    MemoryPrediction found = serving("0.19", card("l4"), "max-model-len=131072");
    assertThat(Objects.requireNonNull(found.serving()).starts()).isFalse();
    assertThat(found.warnings()).anyMatch(line -> line.contains("would not start"));
  }

  @Test
  void refusesWhatVllmRefuses() {
    assertThatThrownBy(() -> serving("0.19", H100, "tensor-parallel-size=5"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("must divide the 32 heads");
    assertThatThrownBy(() -> serving("0.19", H100, "max-model-len=200000"))
        .hasMessageContaining("above the 131072 tokens");
    assertThatThrownBy(() -> serving("0.19", H100, "pipeline-parallel-size=64"))
        .hasMessageContaining("above the 32 layers");
    assertThatThrownBy(() -> serving("0.19", H100, "quantization=novel"))
        .hasMessageContaining("--quantization novel");
    assertThatThrownBy(() -> serving("0.19", H100, "dtype=float64"))
        .hasMessageContaining("--dtype float64 (args) is not one of auto, bfloat16");
    assertThatThrownBy(() -> serving("0.19", H100, "kv-cache-dtype=int3"))
        .hasMessageContaining("--kv-cache-dtype int3 (args) is not one of auto, bfloat16");
    assertThat(
            VllmArguments.of(
                    VllmVersion.of("0.27"), Map.of("kv-cache-dtype", new Value("nvfp4", "args")))
                .ignored())
        .containsExactly("--kv-cache-dtype nvfp4 of a newer release is not counted");
    assertThatThrownBy(
            () -> serving("0.19", H100, "max-num-batched-tokens=512", "max-num-seqs=1024"))
        .hasMessageContaining("512 must be at least --max-num-seqs 1024");
  }

  /** The name of a model says nothing of its weights; a flag may not contradict them. */
  @Test
  void theConfigurationAloneSaysHowWeightsAreStored() throws IOException {
    Path named = ModelFolder.write(folder.resolve("Llama-8B-AWQ-INT4"), ModelFolder.LLAMA);
    LanguageModel plain = ModelReader.standard().read(named);
    assertThat(plain.quantization()).isEqualTo(Quantization.NONE);
    outside(serving("0.19", H100), served(named), "its name suggests a quantization");
    LanguageModel stored = plain.quantizedAs(Quantization.grouped("gptq", 4, 128));
    Map<String, Value> awq = Map.of("quantization", new Value("awq_marlin", "args"));
    assertThatThrownBy(() -> VllmArguments.modelAsRun(plain, awq))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("--quantization awq_marlin (args) needs weights that are stored so");
    assertThatThrownBy(() -> VllmArguments.modelAsRun(stored, awq))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("--quantization awq_marlin (args) contradicts the weights of")
        .hasMessageContaining("which are gptq");
    Map<String, Value> marlin = Map.of("quantization", new Value("gptq_marlin", "args"));
    assertThat(VllmArguments.modelAsRun(stored, marlin)).isEqualTo(stored);
  }

  /** vLLM converts them while it loads them, so that they take more than their files. */
  @Test
  void weightsInEightBitsWithoutAQuantizationAreNamed() throws IOException {
    Path model = ModelFolder.write(folder.resolve("eight"), ModelFolder.LLAMA);
    long parameters = 8_030_261_248L;
    ModelFolder.writeTensor(model.resolve("model.safetensors"), "F8_E4M3", parameters, parameters);
    outside(serving("0.19", H100), served(model), "its headers hold weights in 8 bits");
  }

  /** A pool that is stated counts, whatever share of the card is stated beside it. */
  @Test
  void aStatedPoolCountsBeforeAStatedShare() throws IOException {
    String pool = "kv-cache-memory-bytes=4G";
    assertThat(serving("0.19", H100, pool, "gpu-memory-utilization=0.5").peak())
        .isEqualTo(serving("0.19", H100, pool).peak());
  }

  /** What contradicts itself, is missing or is unknown is counted, and the bound is wider. */
  @Test
  void boundsAreWiderWhereTheFolderIsInDoubt() throws IOException {
    MemoryPrediction known = serving("0.19", H100);
    assertThat(known.peak().coverage()).isEqualTo(0.9);
    Path larger = ModelFolder.write(folder.resolve("larger"), ModelFolder.LLAMA);
    long bytes = 20_000_000_000L;
    ModelFolder.writeTensor(larger.resolve("model.safetensors"), "BF16", bytes / 2, bytes);
    MemoryPrediction contradicted = served(larger);
    outside(known, contradicted, "the larger counts");
    assertThat(gib(contradicted, "weights_bytes")).isGreaterThan(bytes / GIB);
    Path partial = ModelFolder.write(folder.resolve("partial"), ModelFolder.LLAMA);
    Files.writeString(
        partial.resolve("model.safetensors.index.json"),
        "{\"weight_map\": {\"w\": \"gone.safetensors\"}}");
    outside(known, served(partial), "shards are missing");
    outside(
        known,
        served(
            ModelFolder.write(
                folder.resolve("novel"), ModelFolder.LLAMA.replace("\"llama\"", "\"novel\""))),
        "unknown architecture novel");
  }

  private static MemoryPrediction served(Path model) {
    return PREDICTOR.serving(
        ModelReader.standard().read(model), VllmSettings.of(VllmVersion.of("0.19")), H100, 1);
  }

  @Test
  void refusesAServerWithoutAKvCache() throws IOException {
    String linear = "\"layer_types\": [\"linear_attention\", \"linear_attention\"],";
    LanguageModel model =
        ModelReader.standard()
            .read(
                ModelFolder.write(
                    folder,
                    ModelFolder.LLAMA
                        .replace("\"num_hidden_layers\": 32", "\"num_hidden_layers\": 2")
                        .replaceFirst("\\{", "{" + linear)));
    VllmSettings settings = VllmSettings.of(VllmVersion.MEASURED);
    assertThatThrownBy(() -> PREDICTOR.serving(model, settings, H100, 1))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("caches keys and values");
  }

  /** It samples 1,024 sequences of 128,256 tokens: 1,024 x 128256 x 14.935 bytes. */
  @Test
  void theLastStageOfAPipelineBoundsTheServer() throws IOException {
    String pool = "kv-cache-memory-bytes=4G";
    MemoryPrediction two = serving("0.19", H100, "pipeline-parallel-size=2", pool);
    double logits = 1024.0 * 128256 * 14.935 / GIB + 8192.0 * 4096 * 2 / GIB;
    double forward = gib(two, "activation_bytes");
    double others = (two.peak().mean() / GIB) - forward;
    assertThat(two.peak().upper() / GIB).isGreaterThan(others + logits);
    assertThat(two.warnings()).anyMatch(line -> line.contains("last stage of its pipeline"));
    Serving serving = Objects.requireNonNull(two.serving());
    assertThat(serving.least().upper() / GIB)
        .isGreaterThan(others + logits - 4 + serving.leastKvCacheBytes() / GIB);

    MemoryPrediction bySharing = serving("0.19", H100, "pipeline-parallel-size=2");
    Serving shared = Objects.requireNonNull(bySharing.serving());
    double ownPool = gib(bySharing, "kv_cache_bytes");
    assertThat(shared.tokens() * 65536.0 / GIB)
        .isCloseTo(ownPool - (logits - gib(bySharing, "activation_bytes")), within(0.01));
  }

  @Test
  void partsHaveBoundsOfTheirOwn() throws IOException {
    MemoryPrediction found = serving("0.19", H100, "max-model-len=8192");
    for (String name :
        List.of("weights_bytes", "activation_bytes", "non_torch_bytes", "cuda_graph_bytes")) {
      MemoryPrediction.Part part = Objects.requireNonNull(found.parts().get(name));
      MemoryPrediction.PartBounds bounds = Objects.requireNonNull(part.bounds());
      assertThat(Objects.requireNonNull(bounds.upper())).isGreaterThanOrEqualTo(part.amount());
      assertThat(bounds.coverage()).isEqualTo(0.9);
    }
    MemoryPrediction.Part tokens = Objects.requireNonNull(found.parts().get("kv_cache_tokens"));
    assertThat(Objects.requireNonNull(Objects.requireNonNull(tokens.bounds()).lower()))
        .isLessThan(tokens.amount());
    MemoryPrediction outside = serving("0.19", card("l4"), "max-model-len=4096");
    assertThat(
            Objects.requireNonNull(
                    Objects.requireNonNull(outside.parts().get("weights_bytes")).bounds())
                .coverage())
        .isNull();
    MemoryPrediction pinned = serving("0.19", H100, "kv-cache-memory-bytes=4G");
    assertThat(Objects.requireNonNull(pinned.parts().get("kv_cache_bytes")).bounds()).isNull();
  }
}
