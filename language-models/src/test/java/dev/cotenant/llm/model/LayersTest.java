package dev.cotenant.llm.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayersTest {
  @ParameterizedTest
  @CsvSource({"32, 0, 0, true", "0, 32, 0, true", "5, 27, 0, false", "8, 0, 24, false"})
  void layersOfSeveralKindsCacheDifferently(int full, int windowed, int linear, boolean alike) {
    assertThat(new Layers(full, windowed, linear, 1024).areAlike()).isEqualTo(alike);
  }
}
