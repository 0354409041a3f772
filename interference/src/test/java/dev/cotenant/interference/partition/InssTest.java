package dev.cotenant.interference.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.List;
import org.junit.jupiter.api.Test;

class InssTest {
  private static final DeviceProfile DEVICE =
      new DeviceProfile("d", 100, 1000, 10, 1000, -2, 0.01, -0.005, 2.5);
  private static final WorkloadProfile BASE =
      new WorkloadProfile(
          "w",
          "d",
          new WorkloadProfile.ActiveTime(0, 0, 0, 0, 1),
          0.01,
          new WorkloadProfile.Demand(0, 0, 0, 0),
          10,
          0.2,
          50,
          20);
  private static final Inss.Coefficients COEFFICIENTS =
      new Inss.Coefficients(BASE, (b, r) -> 100 * b / r, 0.2, 1);

  @Test
  void stretchesTheActiveTimeByTheNeighboursCacheAndNotByFrequency() {
    // b 2 at 40 %: 5 ms alone; the neighbour at 60 % uses 0.2·60 + 1 = 13 % of L2: 5·1.13 = 5.65;
    // scheduling 0.2 + (0.01·2 − 0.005)·10 = 0.35; transfers 70·2/1000 = 0.14.
    List<Inss.Placed> both =
        List.of(new Inss.Placed(COEFFICIENTS, 2, 40), new Inss.Placed(COEFFICIENTS, 4, 60));
    assertThat(Inss.latencyMillis(DEVICE, both, 0)).isCloseTo(6.14, within(1e-9));
    assertThat(Inss.throughputPerSecond(2, 6.14)).isCloseTo(325.73, within(0.01));
  }

  @Test
  void waitsForBatchesBeforeItWhenTheQueueIsLong() {
    // W 9, b 4: ⌈9/4⌉ = 3 batches of 10 ms after the 2 ms that still run.
    assertThat(new Inss.Arrival(9, 2, 100).latencyMillis(4, 10)).isEqualTo(32);
    // W = b is the long case: one batch.
    assertThat(new Inss.Arrival(4, 2, 100).latencyMillis(4, 10)).isEqualTo(12);
  }

  @Test
  void waitsForItsBatchToFillWhenTheQueueIsShort() {
    // W 1, b 4 at 100/s: 3 more take 30 ms, longer than the 2 ms that run.
    assertThat(new Inss.Arrival(1, 2, 100).latencyMillis(4, 10)).isEqualTo(40);
    // With 50 ms still to run, that is what it waits for.
    assertThat(new Inss.Arrival(1, 50, 100).latencyMillis(4, 10)).isEqualTo(60);
  }

  @Test
  void refusesQueuesThatCannotBe() {
    assertThatThrownBy(() -> new Inss.Arrival(0, 0, 1)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new Inss.Arrival(1, -1, 1)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new Inss.Arrival(1, 0, Double.NaN)).isInstanceOf(InputException.class);
  }
}
