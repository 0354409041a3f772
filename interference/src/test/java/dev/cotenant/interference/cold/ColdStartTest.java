package dev.cotenant.interference.cold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.interference.profile.WorkloadProfile;
import org.junit.jupiter.api.Test;

class ColdStartTest {
  private static final Device V100 = DeviceCatalogue.builtIn().require("v100");
  private static final GraphWork WORK = new GraphWork(8.2e9, 100e6, 100e6, 54);

  @Test
  void guessesTimesByTheRoofline() {
    // A sample: 8.2e9 / 15.7e12 = 0.5223 ms of arithmetic, 2·100e6 / 900e9 = 0.2222 ms of movement;
    // the longer counts, four times. Weights 100e6 / 900e9 = 0.1111 ms. 1.5·54 = 81 kernels of
    // 0.025 ms. 2.0892 + 0.1111 + 2.025 = 4.2253 ms on the whole device; at 50 % what depends on
    // the
    // share takes twice as long: 2.2003·2 + 2.025 = 6.4256.
    WorkloadProfile profile = ColdStart.profile("new", WORK, V100, 90);
    assertThat(profile.activeTime().millis(4, 100)).isCloseTo(4.2253, within(1e-4));
    assertThat(profile.activeTime().millis(4, 50)).isCloseTo(6.4256, within(1e-4));
    // 90 % of 300 W less an idle sixth, and of 31 % L2.
    assertThat(profile.demand().powerIntercept()).isCloseTo(225, within(1e-9));
    assertThat(profile.demand().l2Intercept()).isCloseTo(27.9, within(1e-9));
  }

  @Test
  void guessesBandwidthAsTheShareOfTimeInWhichBytesMove() {
    // (2·100e6·4 + 100e6) / 900e9 = 1.0 ms of 4.2253 ms, while it is busy 90 % of the time.
    assertThat(ColdStart.bandwidthPercent(WORK, 4, V100, 90)).isCloseTo(90 / 4.2253, within(1e-3));
    // Nothing but movement: all the time, and never more than that.
    GraphWork copies = new GraphWork(0, 1e9, 0, 0);
    assertThat(ColdStart.bandwidthPercent(copies, 64, V100, 60)).isBetween(59.0, 60.0);
    assertThat(ColdStart.bandwidthPercent(WORK, 4, V100, 0)).isZero();
  }

  @Test
  void refusesWorkThatCannotBe() {
    assertThatIllegalArgumentException().isThrownBy(() -> new GraphWork(-1, 0, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new GraphWork(Double.NaN, 0, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new GraphWork(0, 0, 0, -1));
  }
}
