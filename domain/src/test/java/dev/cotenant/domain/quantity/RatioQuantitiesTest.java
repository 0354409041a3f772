package dev.cotenant.domain.quantity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RatioQuantitiesTest {
  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 100.1, Double.NaN, Double.NEGATIVE_INFINITY})
  void utilizationStaysBetween0And100(double percent) {
    assertThatIllegalArgumentException().isThrownBy(() -> Utilization.ofPercent(percent));
  }

  @Test
  void clipsAnEstimatedUtilizationButRefusesNaN() {
    assertThat(Utilization.ofPercentClipped(130)).isEqualTo(Utilization.FULL);
    assertThat(Utilization.ofPercentClipped(-3)).isEqualTo(Utilization.IDLE);
    assertThatIllegalArgumentException().isThrownBy(() -> Utilization.ofPercentClipped(Double.NaN));
  }

  @Test
  void sumsMayPassAHundredPercent() {
    SummedUtilization sum =
        SummedUtilization.ZERO.plus(Utilization.ofPercent(70)).plus(Utilization.ofPercent(60.5));

    assertThat(sum).isEqualTo(SummedUtilization.ofPercent(130.5)).hasToString("130.5 %");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
  void sumsAreFiniteAndNotNegative(double percent) {
    assertThatIllegalArgumentException().isThrownBy(() -> SummedUtilization.ofPercent(percent));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.99, 0, Double.NaN, Double.POSITIVE_INFINITY})
  void slowdownIsAtLeastOne(double ratio) {
    assertThatIllegalArgumentException().isThrownBy(() -> Slowdown.ofRatio(ratio));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1.01, -0.5, Double.NaN})
  void coverageLiesBetweenZeroAndOne(double fraction) {
    assertThatIllegalArgumentException().isThrownBy(() -> Coverage.of(fraction));
  }

  @Test
  void readLikeAPersonWouldSayThem() {
    assertThat(Utilization.ofPercent(71.26)).hasToString("71.3 %");
    assertThat(Slowdown.ofRatio(1.153)).hasToString("1.15x");
    assertThat(Coverage.of(0.9)).hasToString("90 %");
    assertThat(Coverage.of(0.29)).hasToString("29 %");
    assertThat(Coverage.of(0.995)).hasToString("99.5 %");
    assertThat(Coverage.of(0.9999)).hasToString("99.9 %");
  }
}
