package dev.cotenant.llm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Layers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GgufReaderTest {
  private static final long SIZE = 1L << 40;

  private static LanguageModel read(ModelFolder.Gguf header) throws IOException {
    return GgufReader.read(
        new ByteArrayInputStream(header.bytes()), SIZE, "x.gguf", SourceLimits.DEFAULT);
  }

  private static ModelFolder.Gguf shape(String type) {
    return new ModelFolder.Gguf()
        .text("general.architecture", type)
        .number(type + ".block_count", 6)
        .number(type + ".embedding_length", 256)
        .number(type + ".feed_forward_length", 512)
        .number(type + ".attention.head_count", 8)
        .tokens("tokenizer.ggml.tokens", 1000);
  }

  /** A decoder whose every matrix is in 4 bits, without a head of its own. */
  private static ModelFolder.Gguf small() {
    ModelFolder.Gguf header = shape("llama").tensor("token_embd.weight", 12, 256, 1000);
    for (int layer = 0; layer < 6; layer++) {
      for (String matrix : new String[] {"q", "k", "v", "o"}) {
        header.tensor(layer + matrix, 12, 256, 256);
      }
      for (String matrix : new String[] {"gate", "up", "down"}) {
        header.tensor(layer + matrix, 12, 256, 512);
      }
      header.tensor(layer + "norm1", 0, 256).tensor(layer + "norm2", 0, 256);
    }
    return header.tensor("output_norm.weight", 0, 256);
  }

  @Test
  void weightsAreThoseOfTheFile() throws IOException {
    LanguageModel model = read(small());
    double stored = Objects.requireNonNull(model.stored()).bytes();
    assertThat(model.tied()).isTrue();
    assertThat(new Weights(model).bytes()).isCloseTo(stored, within(0.001 * stored));
    assertThat(new Weights(model).contradiction()).isEmpty();
    assertThat(read(small().tensor("output.weight", 14, 256, 1000)).tied()).isFalse();
  }

  @Test
  void refusesTensorsThatOverlapOrLieOutside() {
    ModelFolder.Gguf overlapping = small().tensor("a.weight", 12, 256, 1000).at(143_999);
    assertThatThrownBy(() -> read(overlapping.tensor("b.weight", 12, 256, 1000)))
        .hasMessageContaining("two of its tensors overlap");
    assertThatThrownBy(() -> read(small().at(1L << 50).tensor("a.weight", 12, 256, 1000)))
        .hasMessageContaining("a tensor lies outside of the file");
    assertThatThrownBy(() -> read(small().at(-1).tensor("a.weight", 12, 256, 1000)))
        .hasMessageContaining("a tensor lies outside of the file");
  }

  @ParameterizedTest
  @CsvSource({
    "9,36", "15,292", "16,66", "17,74", "18,98", "24,256", "25,512", "27,2048", "28,2048", "29,56",
    "34,54", "35,66"
  })
  void knowsTheTypesOfTensors(int type, long bytesOf256) throws IOException {
    long block = type == 9 ? 8 * bytesOf256 : bytesOf256;
    assertThat(Objects.requireNonNull(read(shape("llama").tensor("w", type, 256)).stored()).bytes())
        .isEqualTo(block);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "llama.context_length",
        "llama.attention.key_length",
        "llama.feed_forward_length",
        "llama.attention.head_count",
        "llama.block_count"
      })
  void refusesZeroWhereItDivides(String key) {
    ModelFolder.Gguf header =
        new ModelFolder.Gguf()
            .text("general.architecture", "llama")
            .number("llama.block_count", 2)
            .number("llama.embedding_length", 256)
            .number("llama.attention.head_count", 8)
            .tokens("tokenizer.ggml.tokens", 10)
            .number(key, 0);
    assertThatThrownBy(() -> read(header))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("x.gguf: ")
        .hasMessageContaining(key);
  }

  @Test
  void architecturesAreThoseOfConfigurations() throws IOException {
    assertThat(read(shape("gptneox")).feedForward().gated()).isFalse();
    assertThat(read(shape("qwen2")).attention()).isEqualTo(new Attention.Grouped(8, 8, 32, true));
    assertThat(read(shape("novel")).warnings())
        .anyMatch(line -> line.startsWith("unknown architecture novel"));
  }

  @Test
  void typesHaveTheNamesOfConfigurations() throws IOException {
    assertThat(read(shape("gpt-oss")).type()).isEqualTo("gpt_oss");
    assertThat(read(shape("llama")).type()).isEqualTo("llama");
  }

  @Test
  void gemma3nHasWindowsThoughItsWeightsAreNotKnown() throws IOException {
    LanguageModel model =
        read(
            shape("gemma3n")
                .number("gemma3n.attention.sliding_window", 512)
                .number("gemma3n.context_length", 4096));
    assertThat(model.layers()).isEqualTo(new Layers(1, 5, 0, 512));
    assertThat(model.warnings()).anyMatch(line -> line.startsWith("unknown architecture"));
  }

  @Test
  void windowsFollowThePatternOrTheListOfLayers() throws IOException {
    assertThat(
            read(shape("gemma3")
                    .number("gemma3.attention.sliding_window", 512)
                    .number("gemma3.context_length", 4096))
                .layers())
        .isEqualTo(new Layers(1, 5, 0, 512));
    assertThat(
            read(shape("llama")
                    .number("llama.attention.sliding_window", 512)
                    .number("llama.context_length", 4096)
                    .truths("llama.attention.sliding_window_pattern", true, true, false, true))
                .layers())
        .isEqualTo(new Layers(3, 3, 0, 512));
  }

  @Test
  void onePartOfSeveralIsSaidToBeOne() throws IOException {
    assertThat(read(small().number("split.count", 3)).warnings())
        .anyMatch(line -> line.startsWith("it is one of 3 files"));
  }
}
