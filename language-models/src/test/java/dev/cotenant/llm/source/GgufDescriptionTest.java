package dev.cotenant.llm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GgufDescriptionTest {
  @TempDir private Path folder = Path.of("");

  private Path file() throws IOException {
    Path file = folder.resolve("gemma.gguf");
    Files.write(
        file,
        new ModelFolder.Gguf()
            .text("general.architecture", "gemma3")
            .text("tokenizer.chat_template", "{{ secret }}")
            .number("gemma3.block_count", 12)
            .number("gemma3.embedding_length", 256)
            .number("gemma3.feed_forward_length", 512)
            .number("gemma3.attention.head_count", 8)
            .number("gemma3.attention.head_count_kv", 2)
            .number("gemma3.attention.sliding_window", 512)
            .number("gemma3.context_length", 8192)
            .tokens("tokenizer.ggml.tokens", 1000)
            .tensor("token_embd.weight", 12, 256, 1000)
            .tensor("blk.0.ffn_up.weight", 12, 256, 512)
            .bytes());
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(1 << 20); // weights that nobody reads
    }
    return file;
  }

  @Test
  void aDescriptionIsTheFilesModel() throws IOException {
    byte[] document = ModelDescription.of(file(), List.of("org/gemma-gguf"));
    ModelDescription read = ModelDescription.read(document, file().toString());

    LanguageModel model = ModelReader.standard().read(file());
    assertThat(read.model()).isEqualTo(model);
    assertThat(read.references()).containsExactly("org/gemma-gguf");
    assertThat(model.layers().windowed()).isPositive();
    assertThat(new String(document, StandardCharsets.UTF_8)).doesNotContain("secret");
    assertThat(document.length).isLessThan(2_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"gguf\": {}}",
        "{\"gguf\": {}, \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}}",
        "{\"gguf\": {\"values\": {}, \"tensors\": []},"
            + " \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}}",
        "{\"gguf\": {\"values\": {\"general.architecture\": \"a\", \"a.block_count\": -1}},"
            + " \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}}",
        "{\"gguf\": {\"values\": {\"general.architecture\": \"a\", \"a.block_count\": 1.5}},"
            + " \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}}",
        "{\"gguf\": {\"values\": {\"general.architecture\": \"a\", \"a.block_count\": 2,"
            + " \"a.embedding_length\": 8, \"a.attention.head_count\": 0}},"
            + " \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}}",
        "{\"gguf\": {\"lengths\": {\"x\": -1}},"
            + " \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}}",
        "{\"gguf\": {}, \"config\": {},"
            + " \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}}"
      })
  void refusesWhatIsNoShape(String document) {
    assertThatThrownBy(() -> ModelDescription.read(document.getBytes(StandardCharsets.UTF_8), "x"))
        .isInstanceOf(InputException.class)
        .hasMessageNotContaining("\n");
  }
}
