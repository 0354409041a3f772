package dev.cotenant.placement.glet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class KneeTest {
  /** A sample takes so many milliseconds in each gpu-let. */
  private static Tenant tenant(double slo, Map<Size, Double> sample) {
    return Tenants.of("any", slo, 1, (batch, size) -> batch * sample.getOrDefault(size, 1e9));
  }

  /**
   * Parts of the whole GPU's rate: 0.4, 0.8, 0.85, 0.9, 0.95, 1. Up to 40 % it rises by 2, from
   * there by ½ or less: the bend at (0.4, 0.8) between (0.2, 0.4) and (0.5, 0.85) is 4·area/(a·b·c)
   * with 2·area = 0.4·0.1 − 0.05·0.2 = 0.03, a = √0.2, b = √0.0125, c = √0.2925, 2.22; at (0.5,
   * 0.85) it is 0 and elsewhere less.
   */
  @Test
  void isWhereTheRateStopsRising() {
    Tenant tenant =
        tenant(
            1e6,
            Map.of(
                Size.PERCENT_20, 1 / 0.4,
                Size.PERCENT_40, 1 / 0.8,
                Size.PERCENT_50, 1 / 0.85,
                Size.PERCENT_60, 1 / 0.9,
                Size.PERCENT_80, 1 / 0.95,
                Size.WHOLE, 1.0));

    assertThat(Knee.of(tenant)).isEqualTo(Size.PERCENT_40);
  }

  @Test
  void isTheWholeGpuWhereTheRateIsInProportionToTheShare() {
    assertThat(Knee.of(Tenants.of("any", 1e6, 1, Tenants.proportional(1)))).isEqualTo(Size.WHOLE);
  }

  @Test
  void isTheLeastShareWhereSharesMakeNoDifference() {
    assertThat(Knee.of(Tenants.of("any", 1e6, 1, Tenants.line(1, 1)))).isEqualTo(Size.PERCENT_20);
  }

  /** Only the whole GPU keeps the objective: 0, 0, 0, 0, 0, 1 bends up everywhere. */
  @Test
  void isTheWholeGpuWhereNoOtherServesAnything() {
    assertThat(Knee.of(tenant(2, Map.of(Size.WHOLE, 1.0)))).isEqualTo(Size.WHOLE);
  }

  @Test
  void isTheWholeGpuWhereNothingIsServed() {
    assertThat(Knee.of(tenant(1, Map.of()))).isEqualTo(Size.WHOLE);
  }
}
