package dev.cotenant.lab.gpulets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuredUsageTest {
  private static UtilizationCell cell(int batch, double l2Percent, double bandwidthPercent) {
    return new UtilizationCell("glet", "gpu", "a", batch, l2Percent, bandwidthPercent);
  }

  @Test
  void isStraightBetweenBatchesAndLevelBeyondThem() {
    MeasuredUsage usage = new MeasuredUsage(List.of(cell(4, 20, 40), cell(8, 30, 60)));

    assertThat(usage.apply(1)).isEqualTo(new Usage(0.2, 0.4));
    assertThat(usage.apply(5).l2Fraction()).isCloseTo(0.225, within(1e-12));
    assertThat(usage.apply(5).bandwidthFraction()).isCloseTo(0.45, within(1e-12));
    assertThat(usage.apply(8)).isEqualTo(new Usage(0.3, 0.6));
    assertThat(usage.apply(32)).isEqualTo(new Usage(0.3, 0.6));
  }

  @Test
  void refusesAModelThatWasNotMeasured() {
    assertThatThrownBy(() -> new MeasuredUsage(List.of())).hasMessageContaining("cells");
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
