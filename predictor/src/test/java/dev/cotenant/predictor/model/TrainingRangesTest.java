package dev.cotenant.predictor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrainingRangesTest {
  private static final DeviceId SMALL = new DeviceId("small");
  private static final DeviceId LARGE = new DeviceId("large");
  private static final DeviceId OTHER = new DeviceId("other");

  /** 2 to 30 convolutions on one device, 20 and 94 on another. */
  private final TrainingRanges ranges =
      TrainingRanges.of(
          List.of(SMALL, LARGE, SMALL, LARGE),
          new float[][] {layers(2), layers(94), layers(30), layers(20)});

  private static float[] layers(int convolutions) {
    float[] vector = new float[Feature.count()];
    vector[0] = convolutions;
    vector[6] = (float) Math.log1p(1);
    return vector;
  }

  private static ModelFeatures model(int convolutions) {
    return new ModelFeatures(
        new LayerCounts(convolutions, 0, 0, 0),
        0,
        0,
        MemorySize.ZERO,
        0,
        MemorySize.ZERO,
        MemorySize.ZERO,
        1);
  }

  @Test
  void judgesAModelByTheRowsOfItsDevice() {
    assertThat(ranges.novelty(model(30), SMALL)).isEqualTo(new Novelty(SMALL, List.of(), false));
    assertThat(ranges.novelty(model(53), SMALL))
        .isEqualTo(
            new Novelty(SMALL, List.of("convolution layers 53 (training had 2 to 30)"), false));
    assertThat(ranges.novelty(model(53), LARGE).outsideFeatures()).isEmpty();
    assertThat(ranges.novelty(model(2), LARGE).outsideFeatures())
        .containsExactly("convolution layers 2 (training had 20 to 94)");
  }

  @Test
  void judgesAModelOnAnUnseenDeviceByAllRows() {
    assertThat(ranges.novelty(model(53), OTHER)).isEqualTo(new Novelty(OTHER, List.of(), true));
    assertThat(ranges.novelty(model(95), OTHER))
        .isEqualTo(
            new Novelty(OTHER, List.of("convolution layers 95 (training had 2 to 94)"), true));
  }

  @Test
  void refusesNothingAndNonsense() {
    assertThatThrownBy(() -> new TrainingRanges(Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TrainingRanges.of(List.of(SMALL), new float[0][]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FeatureRanges(layers(2), layers(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
