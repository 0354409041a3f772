package dev.cotenant.learning.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StudentTTest {
  /** Quantiles 0.975 of printed tables: 12.706, 4.303, 2.776 and 2.093. */
  @Test
  void widensWithFewValues() {
    assertThat(StudentT.halfWidth(0.95, 1, 2) * Math.sqrt(2)).isCloseTo(12.706, within(5e-4));
    assertThat(StudentT.halfWidth(0.95, 1, 3) * Math.sqrt(3)).isCloseTo(4.303, within(5e-4));
    assertThat(StudentT.halfWidth(0.95, 1, 5) * Math.sqrt(5)).isCloseTo(2.776, within(5e-4));
    assertThat(StudentT.halfWidth(0.95, 2, 20) * Math.sqrt(20)).isCloseTo(4.186, within(1e-3));
    assertThat(StudentT.halfWidth(0.95, 1, 1_000_000) * 1_000).isCloseTo(1.95996, within(1e-4));
  }

  @Test
  void oneValueHasNoInterval() {
    assertThat(StudentT.halfWidth(0.95, 7, 1)).isZero();
  }

  @Test
  void refusesALevelOfOneAndNoValues() {
    assertThatThrownBy(() -> StudentT.halfWidth(1, 1, 5)).hasMessageContaining("1.0");
    assertThatThrownBy(() -> StudentT.halfWidth(0.95, 1, 0)).hasMessageContaining("0");
  }
}
