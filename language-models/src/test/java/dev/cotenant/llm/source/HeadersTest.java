package dev.cotenant.llm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.StoredWeights;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeadersTest {
  private static StoredWeights safetensors(byte[] content, long size) throws IOException {
    return SafetensorsHeader.read(
        new ByteArrayInputStream(content), size, "x.safetensors", SourceLimits.DEFAULT);
  }

  private static StoredWeights safetensors(String header, long data) throws IOException {
    byte[] content = ModelFolder.safetensors(header);
    return safetensors(content, content.length + data);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[] | not a JSON object",
        "{\"w\": 1} | not an object",
        "{\"w\": {}} | lacks its dtype",
        "{\"w\": {\"dtype\": {\"dtype\": [0]}, \"shape\": [0]}} | a dtype is not text",
        "{\"w\": {\"dtype\": \"BF16\", \"shape\": [2], \"data_offsets\": [0, 8]}} | has 8 bytes",
        "{\"w\": {\"dtype\": \"BF16\", \"shape\": [2], \"data_offsets\": [0, 40]}} | of 16 bytes",
        "{\"w\": {\"dtype\": \"BF16\", \"shape\": [2], \"data_offsets\": [4, 0]}} | lies at 4",
        "{\"w\": {\"dtype\": \"BF16\", \"shape\": [-2], \"data_offsets\": [0, 4]}} | at least 0",
        "{\"w\": {\"dtype\": \"BF16\", \"shape\": [1.5], \"data_offsets\": [0, 4]}} | at least 0",
        "{\"w\": {\"dtype\": \"BF16\", \"shape\": [9223372036854775807, 9223372036854775807],"
            + " \"data_offsets\": [0, 4]}} | 9223372036854775807",
        "{\"w\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [0, 4]}, \"v\": {\"dtype\":"
            + " \"U8\", \"shape\": [4], \"data_offsets\": [2, 6]}} | overlap",
        "{\"w\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [0, 4]}, \"w\": {}} |"
            + " Duplicate field",
        "{\"w\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [0, 4, 8]}} | two numbers",
        "{} {} | something follows"
      })
  void refusesHostileSafetensors(String header, String problem) {
    assertThatThrownBy(() -> safetensors(header, 16))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("x.safetensors: ")
        .hasMessageContaining(problem)
        .hasMessageEndingWith("; download the file again.");
  }

  /** Found by fuzzing: three zeros announce another encoding to the parser. */
  @Test
  void refusesOtherEncodings() {
    assertThatThrownBy(() -> safetensors("\0\0\0{\"v\"\"\"", 16))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("not valid JSON");
  }

  @Test
  void takesBytesOfUnknownTypesFromTheirOffsets() throws IOException {
    StoredWeights read =
        safetensors("{\"w\": {\"dtype\": \"F4\", \"shape\": [8], \"data_offsets\": [0, 4]}}", 4);
    assertThat(read.bytesByType()).containsEntry("F4", 4L);
    assertThat(read.parameters()).isEqualTo(8);
  }

  @Test
  void checksTheLengthBeforeItAllocates() {
    for (long length : new long[] {-1, Long.MAX_VALUE, 1L << 40, 1}) {
      byte[] prefix = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(length).array();
      assertThatThrownBy(() -> safetensors(prefix, 1L << 41)).isInstanceOf(InputException.class);
      assertThatThrownBy(() -> safetensors(prefix, 8)).isInstanceOf(InputException.class);
    }
  }

  @Test
  void refusesEveryTruncationOfAGgufHeader() {
    byte[] whole = ModelFolder.gguf().bytes();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      assertThatThrownBy(() ->
              GgufReader.read(
                  new ByteArrayInputStream(cut), cut.length, "x.gguf", SourceLimits.DEFAULT))
          .isInstanceOf(InputException.class)
          .hasMessageStartingWith("x.gguf: ");
    }
  }

  @Test
  void checksCountsAgainstTheFile() {
    byte[] content = ModelFolder.gguf().bytes();
    for (int at = 8; at < 24; at += 8) {
      byte[] changed = content.clone();
      ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putLong(at, Long.MAX_VALUE);
      assertThatThrownBy(() ->
              GgufReader.read(
                  new ByteArrayInputStream(changed),
                  changed.length,
                  "x.gguf",
                  SourceLimits.DEFAULT))
          .hasMessageContaining("does not fit");
    }
  }
}
