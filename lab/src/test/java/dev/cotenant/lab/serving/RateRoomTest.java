package dev.cotenant.lab.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RateRoomTest {
  private final RateRoom room = new RateRoom();

  private double target(double rate) {
    return room.of(new TreeMap<>(Map.of("m", rate))).getOrDefault("m", 0.0);
  }

  @Test
  void addsHalfOfASmallRateAndAFifthOfALargeOne() {
    assertThat(target(100)).isEqualTo(150);
    assertThat(target(200)).isEqualTo(240);
  }

  /** From 200, whose target is 240: 208 wants 9.6 more, 4 %; 210 wants 12 more. */
  @Test
  void movesATargetForAClearChangeOnly() {
    assertThat(target(200)).isEqualTo(240);
    assertThat(target(208)).isEqualTo(240);
    assertThat(target(210)).isEqualTo(252);
    assertThat(target(190)).isEqualTo(252);
    assertThat(target(185)).isEqualTo(222);
  }
}
