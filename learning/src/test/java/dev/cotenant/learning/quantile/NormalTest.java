package dev.cotenant.learning.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class NormalTest {
  @Test
  void isThatOfTables() {
    assertThat(Normal.below(0)).isCloseTo(0.5, within(1e-12));
    assertThat(Normal.below(1.96)).isCloseTo(0.9750021, within(1e-7));
    assertThat(Normal.below(-1.6448536)).isCloseTo(0.05, within(1e-7));
    assertThat(Normal.below(Double.POSITIVE_INFINITY)).isEqualTo(1);
    assertThat(Normal.below(-40)).isNotNegative().isLessThan(1e-300);
  }
}
