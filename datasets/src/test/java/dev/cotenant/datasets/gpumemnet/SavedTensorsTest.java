package dev.cotenant.datasets.gpumemnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.graph.BackwardMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SavedTensorsTest {
  private static BackwardMemory of(String configuration, String layers, long inputs, int batch) {
    return SavedTensors.of(configuration, layers, inputs, batch);
  }

  @Test
  void keepsInputsOfProductsAndOutputsOfRectifiers() {
    BackwardMemory backward =
        of("input:7_depth:1", "[['lin',5,40,35],['act',5,0,0],['lin',2,12,10]]", 7, 3);
    // 7 inputs, 5 outputs of the ReLU; the linear layer's own are gone
    assertThat(backward.saved().bytes()).isEqualTo(3 * 4 * (7 + 5));
    assertThat(backward.convolution().bytes()).isZero();
  }

  @Test
  void keepsInputsOfOtherActivationsAndOfNormalizationsAndAByteOfEachDropout() {
    BackwardMemory backward =
        of(
            "arch:uniform_act:gelu_dropout:0.4_batchnorm:True",
            "[['conv',80,20,999],['bn',80,10,0],['act',80,0,0],['do',80,0,0],['pool',5,0,0],"
                + "['lin',2,12,10],['sm',2,0,0]]",
            48,
            2);
    // 48 inputs, inputs of normalisation and activation, of the linear layer, answers
    assertThat(backward.saved().bytes()).isEqualTo(2 * (4 * (48 + 80 + 80 + 5 + 2) + 80));
    assertThat(backward.convolution().bytes()).isEqualTo(2 * 4 * (48 + 80));
  }

  @Test
  void readsTheJoinedTensorsOfDenseBlocksOffTheParameters() {
    BackwardMemory backward =
        of(
            "input_channels:1_arch:dense_act:relu_dropout:0.1",
            "[['conv',12800,320,1],['act',12800,0,0],['conv',12800,9536,1]]",
            400,
            1);
    // 9,536 = 32 · (9 · 33 + 1): 1 + 32 channels of 400 points are joined
    assertThat(backward.saved().bytes()).isEqualTo(4 * (400 + 12_800 + 33 * 400));
    assertThat(backward.convolution().bytes()).isEqualTo(4 * (33 * 400 + 12_800));
  }

  @Test
  void anIdentityIsNoTensor() {
    BackwardMemory backward =
        of(
            "arch:plain_act:identity_dropout:0.1",
            "[['lin', 5, 40, 35], ['act', 5, 0, 0], ['lin', 2, 12, 10]]",
            7,
            3);
    // 7 inputs and the 5 outputs that the second layer reads, once
    assertThat(backward.saved().bytes()).isEqualTo(3 * 4 * (7 + 5));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lin", "[['lin',5,40]]", "[['lin',5,40,35],['act',x,0,0]]"})
  void refusesLayersThatItCannotRead(String layers) {
    assertThatThrownBy(() -> of("input:7_depth:1", layers, 7, 3))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
