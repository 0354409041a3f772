package dev.cotenant.llm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.StoredWeights;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelDescriptionTest {
  private static ModelDescription read(String more) {
    String document = "{\"config\": " + ModelFolder.LLAMA + more + "}";
    return ModelDescription.read(document.getBytes(StandardCharsets.UTF_8), "llama");
  }

  @Test
  void sumsTheHeadersOfAllFiles() {
    ModelDescription read =
        read(
            ", \"headers\": [%s, %s, {}]"
                .formatted(ModelFolder.tensor("BF16", 8, 16), ModelFolder.tensor("F32", 2, 8)));

    assertThat(read.model().stored())
        .isEqualTo(new StoredWeights(Map.of("BF16", 16L, "F32", 8L), 10, 2));
    assertThat(read.model())
        .isEqualTo(
            read(", \"weights\": {\"bytes_by_type\": {\"BF16\": 16, \"F32\": 8},"
                    + " \"parameters\": 10, \"tensors\": 2}")
                .model());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"headers\": {}",
        "\"headers\": [1]",
        "\"headers\": [null]",
        "\"headers\": [{\"w\": null}]",
        "\"headers\": [{\"w\": {\"dtype\": \"BF16\", \"data_offsets\": [0, 2]}}]",
        "\"headers\": [{\"w\": {\"dtype\": \"BF16\", \"shape\": [1], \"data_offsets\": [0]}}]",
        "\"headers\": [{\"w\": {\"dtype\": \"BF16\", \"shape\": [1], \"data_offsets\": [0, 8]}}]",
        "\"headers\": [{\"w\": {\"dtype\": \"BF16\", \"shape\": [-1], \"data_offsets\": [0, 2]}}]",
        "\"headers\": [{\"w\": {\"dtype\": \"X9\", \"shape\": [1],"
            + " \"data_offsets\": [0, 9223372036854775807]}}]",
        "\"headers\": [{\"w\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [0, 4]},"
            + " \"v\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [2, 6]}}]",
        "\"headers\": [{}], \"weights\": {\"bytes_by_type\": {}, \"parameters\": 1}"
      })
  void refusesHostileHeaders(String headers) {
    assertThatThrownBy(() -> read(", " + headers))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("the description of llama: ")
        .hasMessageNotContaining("\n");
  }
}
