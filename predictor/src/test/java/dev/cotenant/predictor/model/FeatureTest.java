package dev.cotenant.predictor.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.MemorySize;
import org.junit.jupiter.api.Test;

class FeatureTest {
  @Test
  void encodesAModelOnADeviceInTheOrderThatFilesRelyOn() {
    ModelFeatures model =
        new ModelFeatures(
            new LayerCounts(5, 3, 7, 2),
            1,
            1 << 20,
            MemorySize.ofMiB(4),
            1_000_000_000,
            MemorySize.ofMiB(8),
            MemorySize.ofMiB(1),
            63);
    float[] vector = Feature.encode(model, DeviceCatalogue.builtIn().require("a100"));
    assertThat(vector)
        .containsExactly(
            5,
            3,
            7,
            2,
            (float) Math.log(1 + 4), // 4 MiB
            (float) Math.log(1 + 2), // 10^9 MACs are 2 GFLOPs
            (float) Math.log(1 + 63),
            19.5f,
            1555,
            108,
            40,
            (float) Math.log(1 + 8));
  }

  @Test
  void everyFeatureKnowsItsPlace() {
    float[] places = new float[Feature.count()];
    for (int i = 0; i < places.length; i++) {
      places[i] = i;
    }
    for (int i = 0; i < places.length; i++) {
      assertThat(Feature.at(i).of(places)).isEqualTo(i);
    }
  }

  @Test
  void hullNamesWhatLiesOutsideInPlainUnits() {
    float[] low = new float[Feature.count()];
    float[] high = low.clone();
    high[0] = 30;
    high[6] = (float) Math.log1p(62);
    FeatureRanges featureRanges = new FeatureRanges(low, high);
    assertThat(featureRanges.describeOutside(model(30, 62))).isEmpty();
    assertThat(featureRanges.describeOutside(model(53, 128)))
        .containsExactly(
            "convolution layers 53 (training had 0 to 30)",
            "batch size 128 (training had 0 to 62)");
  }

  /** As a float on a logarithmic scale it would come back as 100000072. */
  @Test
  void hullNamesTheValueThatWasAskedForToTheLastDigit() {
    FeatureRanges featureRanges =
        new FeatureRanges(new float[Feature.count()], new float[Feature.count()]);

    assertThat(featureRanges.describeOutside(model(0, 100_000_007)))
        .containsExactly("batch size 100000007 (training had 0 to 0)");
  }

  private static ModelFeatures model(int convolutions, int batch) {
    return new ModelFeatures(
        new LayerCounts(convolutions, 0, 0, 0),
        0,
        0,
        MemorySize.ZERO,
        0,
        MemorySize.ZERO,
        MemorySize.ZERO,
        batch);
  }
}
