package dev.cotenant.predictor.model;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ResidualQuantilesTest {
  @Test
  void refusesNonsense() {
    assertThatThrownBy(() -> new ResidualQuantiles(Double.NaN, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ResidualQuantiles(-1, Double.POSITIVE_INFINITY))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
