package dev.cotenant.placement.glet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import dev.cotenant.placement.glet.GletUsage.Measured;
import java.util.List;
import org.junit.jupiter.api.Test;

class GletUsageTest {
  private static final GletUsage USAGE =
      new GletUsage(
          List.of(new Measured("a", "gpu", 4, 20, 40), new Measured("a", "gpu", 8, 30, 60)));

  @Test
  void isStraightBetweenBatchesAndLevelBeyondThem() {
    GletUsage.Curve curve = USAGE.of("a", "gpu").orElseThrow();

    assertThat(curve.at(1)).isEqualTo(new Usage(0.2, 0.4));
    assertThat(curve.at(5).l2Fraction()).isCloseTo(0.225, within(1e-12));
    assertThat(curve.at(5).bandwidthFraction()).isCloseTo(0.45, within(1e-12));
    assertThat(curve.at(8)).isEqualTo(new Usage(0.3, 0.6));
    assertThat(curve.at(32)).isEqualTo(new Usage(0.3, 0.6));
  }

  @Test
  void isUnknownForOthers() {
    assertThat(USAGE.of("b", "gpu")).isEmpty();
    assertThat(USAGE.of("a", "other")).isEmpty();
  }

  @Test
  void refusesWhatIsNotAPercentage() {
    assertThatThrownBy(() -> new Measured("a", "gpu", 1, Double.NaN, 0))
        .hasMessageContaining("l2Percent");
    assertThatThrownBy(() -> new Measured("a", "gpu", 1, 0, 101))
        .hasMessageContaining("bandwidthPercent");
    assertThatThrownBy(() -> new Measured("a", "gpu", 0, 0, 0)).hasMessageContaining("batch");
  }

  /**
   * The check value of the authors' tables: ResNet-50 beside VGG-16, both at batch 8 in 50 %: 25.80
   * and 51.32 %, 32.06 and 56.68 %, halved, are a factor of 1.1408.
   */
  @Test
  void givesTheFactorOfTheAuthorsTables() {
    Usage resnet = new Usage(0.2580461038, 0.5132452612).atShare(50);
    Usage vgg = new Usage(0.3205999721, 0.5668343269).atShare(50);

    assertThat(UtilizationFactor.RTX_2080_TI.of(resnet, vgg)).isCloseTo(1.1408, within(5e-5));
  }
}
