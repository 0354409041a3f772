package dev.cotenant.llm.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPredictor;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Weights and KV cache of servers of which no formula has the rest. */
class OtherArgumentsTest {
  private static final double GIB = 1L << 30;

  /** Keys and values of a token of Llama-3.1-8B in 16 bits. */
  private static final double TOKEN = 32 * 2 * 8 * 128 * 2.0;

  private static final ServingCard CARD = new ServingCard("h100-80gb", 79 * GIB);

  @TempDir private Path folder = Path.of("");

  private LanguageModel llama() throws IOException {
    return ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
  }

  private MemoryPrediction predicted(String command, Map<String, String> environment)
      throws IOException {
    Workload.Other server =
        (Workload.Other)
            new ContainerReader()
                .read(
                    new Container(
                        "img", List.of(command.split(" ", -1)), List.of(), environment, Set.of()));
    OtherArguments arguments = OtherArguments.of(server.engine(), llama(), server.flags());
    return new MemoryPredictor(0.9)
        .stated(
            OtherArguments.modelAsRun(llama(), server.flags()),
            arguments.settings(),
            CARD,
            arguments.notes());
  }

  private static double amount(MemoryPrediction found, String part) {
    return Objects.requireNonNull(found.parts().get(part)).amount();
  }

  @ParameterizedTest
  @CsvSource({
    "python -m sglang.launch_server --model-path a/b --max-total-tokens 100000, 100000, 1",
    "python -m sglang.launch_server --model a/b --max-total-tokens=100000 --tp 2, 100000, 0.5",
    "python -m sglang.launch_server --model a/b --max-total-tokens=8000"
        + " --kv-cache-dtype fp8_e5m2, 8000, 0.5",
    "text-generation-launcher --model-id a/b --max-batch-total-tokens 65536, 65536, 1",
    "llama-server -m /m/x.gguf -c 16384 -ngl 99, 16384, 1",
    "llama-server -m /m/x.gguf -c 16384 -ngl 99 -ctk q8_0 -ctv q8_0, 16384, 0.53125",
    "llama-server -m /m/x.gguf -c 0 -ngl 99, 131072, 1"
  })
  void tokensAreThoseOfTheArguments(String command, long tokens, double share) throws IOException {
    MemoryPrediction found = predicted(command, Map.of());
    assertThat(amount(found, "kv_cache_tokens")).isEqualTo((double) tokens);
    assertThat(amount(found, "kv_cache_bytes")).isCloseTo(tokens * TOKEN * share, within(1.0));
    assertThat(found.peak().coverage()).isNull();
    assertThat(found.peak().upper()).isEqualTo((long) (79 * GIB));
    assertThat(found.warnings()).anyMatch(line -> line.contains("unknown until it is measured"));
  }

  @Test
  void aShareOfTheCardHoldsWeightsAndCache() throws IOException {
    MemoryPrediction found =
        predicted("python -m sglang.launch_server --model a/b --mem-fraction-static .8", Map.of());
    assertThat(amount(found, "weights_bytes") + amount(found, "kv_cache_bytes"))
        .isCloseTo(0.8 * 79 * GIB, within(2.0));
    MemoryPrediction card = predicted("python -m sglang.launch_server --model a/b", Map.of());
    assertThat(card.parts()).doesNotContainKey("kv_cache_bytes");
    assertThat(card.peak().mean()).isEqualTo((long) (79 * GIB));
  }

  @Test
  void variablesCountAsArguments() throws IOException {
    MemoryPrediction tgi =
        predicted(
            "text-generation-launcher",
            Map.of("MODEL_ID", "a/b", "NUM_SHARD", "2", "MAX_BATCH_TOTAL_TOKENS", "1000"));
    assertThat(amount(tgi, "kv_cache_tokens")).isEqualTo(1000);
    assertThat(amount(tgi, "weights_bytes")).isLessThan(9 * GIB);
    MemoryPrediction llama =
        predicted(
            "llama-server",
            Map.of(
                "LLAMA_ARG_MODEL", "/x.gguf",
                "LLAMA_ARG_CTX_SIZE", "4096",
                "LLAMA_ARG_N_GPU_LAYERS", "0"));
    assertThat(amount(llama, "kv_cache_tokens")).isEqualTo(4096);
    assertThat(amount(llama, "weights_bytes")).isZero();
  }

  @Test
  void quantizationOfTheArgumentsCounts() throws IOException {
    double half =
        amount(predicted("text-generation-launcher --model-id a/b", Map.of()), "weights_bytes");
    double fp8 =
        amount(
            predicted("text-generation-launcher --model-id a/b --quantize fp8", Map.of()),
            "weights_bytes");
    assertThat(fp8 / half).isBetween(0.5, 0.6);
  }

  @ParameterizedTest
  @CsvSource({
    "llama-server -m x -ctk int3, cache-type-k int3 (args) is not a type of ggml",
    "llama-server -m x -c many, c many (args) is not a whole number",
    "python -m sglang.launch_server --model a --mem-fraction-static 90, is not a share",
    "text-generation-launcher --model-id a --quantize novel, quantization novel (args) is not",
    "python -m sglang.launch_server --model a --tp 5, must divide the 32 heads"
  })
  void refusesValuesByName(String command, String problem) {
    assertThatThrownBy(() -> predicted(command, Map.of()))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(problem);
  }
}
