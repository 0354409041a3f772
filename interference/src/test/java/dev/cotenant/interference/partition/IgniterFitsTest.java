package dev.cotenant.interference.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.interference.partition.IgniterFits.Draw;
import dev.cotenant.interference.partition.IgniterFits.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class IgniterFitsTest {
  @Test
  void findsTheLineOfSchedulingDelays() {
    // 0.005·n − 0.009 at n = 2, 3, 5.
    var line =
        IgniterFits.schedulingDelay(
                List.of(new Point(2, 0.001), new Point(3, 0.006), new Point(5, 0.016)))
            .orElseThrow();
    assertThat(line.slope()).isCloseTo(0.005, within(1e-12));
    assertThat(line.intercept()).isCloseTo(-0.009, within(1e-12));
  }

  @Test
  void findsSlopesThroughTheOrigin() {
    // Σxy/Σx² = (10·−11 + 20·−19)/(100 + 400) = −0.98
    assertThat(IgniterFits.frequencySlope(List.of(new Point(10, -11), new Point(20, -19))))
        .hasValueSatisfying(slope -> assertThat(slope).isCloseTo(-0.98, within(1e-12)));
    assertThat(IgniterFits.cacheSensitivity(List.of(new Point(16, 0.04))))
        .hasValueSatisfying(slope -> assertThat(slope).isCloseTo(0.0025, within(1e-12)));
  }

  @Test
  void findsPowerAndCacheOverThroughput() {
    var demand =
        IgniterFits.demand(List.of(new Draw(100, 60, 5), new Draw(300, 100, 9))).orElseThrow();
    assertThat(demand.powerSlope()).isCloseTo(0.2, within(1e-12));
    assertThat(demand.powerIntercept()).isCloseTo(40, within(1e-9));
    assertThat(demand.l2Slope()).isCloseTo(0.02, within(1e-12));
    assertThat(demand.l2Intercept()).isCloseTo(3, within(1e-9));
  }

  @Test
  void hasNoLineThroughOnePointOrNone() {
    assertThat(IgniterFits.line(List.of())).isEmpty();
    assertThat(IgniterFits.line(List.of(new Point(1, 1)))).isEmpty();
    assertThat(IgniterFits.line(List.of(new Point(1, 1), new Point(1, 2)))).isEmpty();
    assertThat(IgniterFits.frequencySlope(List.of(new Point(0, 1)))).isEmpty();
  }
}
