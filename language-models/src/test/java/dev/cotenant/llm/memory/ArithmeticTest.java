package dev.cotenant.llm.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Layers;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.model.StoredWeights;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArithmeticTest {
  private static final double GIB = 1L << 30;

  @TempDir private Path folder = Path.of("");

  private LanguageModel llama() throws IOException {
    return ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
  }

  @ParameterizedTest
  @CsvSource({"1,1,14.99", "2,1,7.51", "4,1,3.77", "1,2,7.51"})
  void weightsOfLlamaAreThoseThatVllmLogs(int tensor, int pipeline, double logged)
      throws IOException {
    assertThat(new Weights(llama()).bytesPerGpu(tensor, pipeline) / GIB)
        .isCloseTo(logged, within(0.02));
  }

  @Test
  void quantizationsLeaveEmbeddingsInHalfPrecision() throws IOException {
    LanguageModel model = llama();
    Weights eight = new Weights(model.quantizedAs(Quantization.EIGHT_BIT));
    assertThat(eight.bytesPerGpu(1, 1) / GIB).isCloseTo(8.49, within(0.02));
    Weights single = new Weights(model.in(4));
    assertThat(single.bytesPerGpu(1, 1) / GIB).isCloseTo(29.98, within(0.03));
  }

  /** Its headers hold what it is before; what they hold beyond the configuration stays. */
  @Test
  void whatIsQuantizedAtLoadIsSmallerThanItsHeaders() throws IOException {
    LanguageModel plain = llama();
    long parameters = (long) new Weights(plain).parameters();
    Map<String, Value> flags = Map.of("quantization", new Value("fp8", "test"));
    LanguageModel asStored = VllmArguments.modelAsRun(stored(plain, parameters), flags);
    assertThat(new Weights(asStored).contradiction()).isEmpty();
    assertThat(new Weights(asStored).bytesPerGpu(1, 1) / GIB).isCloseTo(8.49, within(0.02));
    LanguageModel larger = VllmArguments.modelAsRun(stored(plain, parameters + (1L << 30)), flags);
    assertThat(new Weights(larger).contradiction()).isPresent();
    assertThat(new Weights(larger).bytesPerGpu(1, 1) / GIB).isCloseTo(10.46, within(0.05));
  }

  private static LanguageModel stored(LanguageModel model, long parameters) {
    return model.withFiles(
        new StoredWeights(Map.of("BF16", 2 * parameters), parameters, 291), null, List.of());
  }

  @Test
  void kvHeadsAreReplicatedOverMoreGpusThanThereAre() throws IOException {
    LanguageModel model = llama();
    assertThat(new KvCache(model, 1, 1, 2).bytesPerToken()).isEqualTo(131_072);
    assertThat(new KvCache(model, 8, 1, 2).bytesPerToken()).isEqualTo(16_384);
    assertThat(new KvCache(model, 16, 1, 2).bytesPerToken()).isEqualTo(16_384);
    assertThat(new KvCache(model, 1, 1, 1).bytesPerToken()).isEqualTo(65_536);
  }

  @ParameterizedTest
  @CsvSource({"5,29,35", "8,40,48", "10,52,70", "12,12,24", "32,0,32", "0,32,32", "12,13,26"})
  void layersOfTwoKindsArePaddedToGroups(int full, int windowed, int pooled) {
    assertThat(KvCache.pooledLayers(new Layers(full, windowed, 0, 1024))).isEqualTo(pooled);
  }

  @Test
  void countsAdaptersByModule() throws IOException {
    Modules modules = Modules.of(llama(), List.of("q_proj", "v_proj", "unheard-of"));
    assertThat(modules.adapterParameters(16)).isEqualTo(32 * 16 * (8192 + 5120.0));
    assertThat(Modules.of(llama(), List.of("all-linear")).weights())
        .isEqualTo(new Weights(llama()).linearParameters());
  }
}
