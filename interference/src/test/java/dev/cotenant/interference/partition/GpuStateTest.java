package dev.cotenant.interference.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GpuStateTest {
  private static final ProfileBook BOOK = ProfileBook.builtIn();
  private static final DeviceProfile V100 = BOOK.requireDevice("v100-16gb");

  /** P 100 W, F 1000 MHz, idle 10 W, 1000 bytes/ms, α_f −2, α_sch 0.01, β_sch −0.005. */
  private static final DeviceProfile DEVICE =
      new DeviceProfile("v100-16gb", 100, 1000, 10, 1000, -2, 0.01, -0.005, 2.5);

  /** k_act = (100·b)/r; α_cache 0.01; p = 0.5·rate + 5; c = 0.1·rate; 10 kernels of 0.02 ms. */
  private static final WorkloadProfile WORKLOAD =
      new WorkloadProfile(
          "w",
          "v100-16gb",
          new WorkloadProfile.ActiveTime(0, 100, 0, 0, 0),
          0.01,
          new WorkloadProfile.Demand(0.5, 5, 0.1, 0),
          10,
          0.2,
          50,
          20);

  @Test
  void addsTransferSchedulingAndActiveTimeAlone() {
    // b 2, r 20: k_act = 200/20 = 10 ms; rate = 1000·2/10 = 200/s; p = 105, demand 115 > 100:
    // f = 1000 − 2·15 = 970; t_gpu = (0.2 + 10)/0.97 = 10.515464; load 0.1, feedback 0.04.
    GpuState gpu = new GpuState(DEVICE, 1);
    gpu.place(WORKLOAD, 2, 20);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.VALID);
    assertThat(gpu.demandWatts()).isCloseTo(115, within(1e-9));
    assertThat(gpu.frequencyMegahertz()).isCloseTo(970, within(1e-9));
    assertThat(gpu.l2Percent(0)).isCloseTo(20, within(1e-9));
    assertThat(gpu.latencyMillis(0)).isCloseTo(10.655464, within(1e-6));
    // h = 1000·2/(10.515464 + 0.04): loading overlaps.
    assertThat(gpu.throughputPerSecond(0)).isCloseTo(189.475, within(1e-3));
  }

  @Test
  void slowsBothWithTwoAndCountsTheWorkloadItself() {
    // Each b 1, r 50: k_act 2 ms, rate 500, c 50, p 255: demand 520, f = 1000 − 2·420 = 160.
    // Δ_sch = 0.01·2 − 0.005 = 0.015; t_sch = 0.2 + 0.15; t_act = 2·(1 + 0.01·50) = 3;
    // t_gpu = 3.35/0.16 = 20.9375; load 0.05, feedback 0.02.
    GpuState gpu = new GpuState(DEVICE, 2);
    gpu.place(WORKLOAD, 1, 50);
    gpu.place(WORKLOAD, 1, 50);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.VALID);
    assertThat(gpu.latencyMillis(0)).isCloseTo(21.0075, within(1e-9));
    assertThat(gpu.latencyMillis(1)).isCloseTo(21.0075, within(1e-9));
    assertThat(gpu.l2Percent(0) + gpu.l2Percent(1)).isCloseTo(100, within(1e-9));
  }

  /** InSS: L2 is a line over the share, whatever the batch. */
  @Test
  void takesTimesAndL2OfARegressionWhereItsPointsAreKnown() {
    List<SoloPoint> points = new ArrayList<>();
    for (int batch : new int[] {1, 2, 4, 8}) {
      for (double share : new double[] {20, 40, 60, 80}) {
        points.add(new SoloPoint(batch, share, 80 * batch / share));
      }
    }
    WorkloadProfile measured = WORKLOAD.with(InssTimes.of(points, 0.2, 1));
    GpuState gpu = new GpuState(DEVICE, 2);
    gpu.placeProfiled(measured, 1, 50);
    gpu.placeProfiled(WORKLOAD, 1, 40);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.VALID);
    assertThat(gpu.l2Percent(0)).isCloseTo(11, within(1e-9));
    assertThat(gpu.l2Percent(1)).as("0.1 of 400 a second").isCloseTo(40, within(1e-9));

    gpu.clear();
    gpu.place(measured, 1, 50);
    gpu.evaluate();
    assertThat(gpu.l2Percent(0)).as("iGniter's own").isCloseTo(50, within(1e-9));
  }

  @Test
  void givesTheLatenciesOfTheAuthorsPlanOfTwelveWorkloads() {
    // GPU 1: SSD b8 at 92.5 %. GPU 2: VGG-19 b6 at 75 % and SSD b1 at 15 %.
    GpuState one = new GpuState(V100, 1);
    one.place(profile("ssd"), 8, 92.5);
    one.evaluate();
    assertThat(one.latencyMillis(0)).isCloseTo(26.97987450717685, within(1e-12));
    assertThat(one.throughputPerSecond(0)).isCloseTo(306.3270961040013, within(1e-10));

    GpuState two = new GpuState(V100, 2);
    two.place(profile("vgg19"), 6, 75);
    two.place(profile("ssd"), 1, 15);
    two.evaluate();
    assertThat(two.latencyMillis(0)).isCloseTo(14.90849981561943, within(1e-12));
    assertThat(two.latencyMillis(1)).isCloseTo(19.537382227118957, within(1e-12));
  }

  @Test
  void givesTheLatenciesOfAFourWayShare() {
    GpuState gpu = new GpuState(V100, 4);
    gpu.place(profile("resnet50"), 9, 50);
    gpu.place(profile("alexnet"), 6, 22.5);
    gpu.place(profile("resnet50"), 4, 15);
    gpu.place(profile("alexnet"), 8, 12.5);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.VALID);
    assertThat(gpu.latencyMillis(0)).isCloseTo(14.710313097651744, within(1e-12));
    assertThat(gpu.latencyMillis(1)).isCloseTo(4.713232601530238, within(1e-12));
    assertThat(gpu.latencyMillis(2)).isCloseTo(19.98235781490189, within(1e-12));
    assertThat(gpu.latencyMillis(3)).isCloseTo(9.380040390921794, within(1e-12));
  }

  @Test
  void acceptsSharesOfExactlyAHundredAndRefusesMore() {
    GpuState gpu = new GpuState(V100, 3);
    gpu.place(profile("alexnet"), 1, 33.3);
    gpu.place(profile("alexnet"), 1, 33.3);
    gpu.place(profile("alexnet"), 1, 33.4);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.VALID);
    gpu.clear();
    gpu.place(profile("alexnet"), 1, 60);
    gpu.place(profile("alexnet"), 1, 42.5);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.SHARES_EXCEEDED);
  }

  @Test
  void refusesTimesAndFrequenciesBelowZero() {
    GpuState gpu = new GpuState(DEVICE, 1);
    gpu.place(WORKLOAD, 1, 50, -1);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.TIME_NOT_POSITIVE);
    gpu.clear();
    gpu.place(WORKLOAD, 1, 50, Double.NaN);
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.TIME_NOT_POSITIVE);
    gpu.clear();
    gpu.place(WORKLOAD, 1, 50, 0.001); // a million requests a second draw 500 kW
    assertThat(gpu.evaluate()).isEqualTo(GpuState.Status.FREQUENCY_NOT_POSITIVE);
  }

  @Test
  void neverLetsANeighbourSpeedAWorkloadUp() {
    Random random = new Random(7);
    String[] names = {"alexnet", "resnet50", "vgg19", "ssd"};
    GpuState alone = new GpuState(V100, 1);
    GpuState both = new GpuState(V100, 2);
    for (int i = 0; i < 2000; i++) {
      double share = 10 + random.nextInt(31) * 2.5;
      int batch = 1 + random.nextInt(32);
      WorkloadProfile own = profile(names[random.nextInt(4)]);
      alone.clear();
      alone.place(own, batch, share);
      both.clear();
      both.place(own, batch, share);
      both.place(profile(names[random.nextInt(4)]), 1 + random.nextInt(32), 100 - share);
      if (alone.evaluate() == GpuState.Status.VALID && both.evaluate() == GpuState.Status.VALID) {
        assertThat(both.latencyMillis(0)).isGreaterThanOrEqualTo(alone.latencyMillis(0));
      }
    }
  }

  private static WorkloadProfile profile(String name) {
    return BOOK.workload(name).orElseThrow();
  }
}
