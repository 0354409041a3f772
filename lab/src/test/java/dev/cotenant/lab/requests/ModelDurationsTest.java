package dev.cotenant.lab.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelDurationsTest {
  private static final String V100 = "v100-16gb";
  private static final PlannedGpu GPU =
      PlannedGpu.serving(
          V100,
          List.of(
              Partition.of(Share.ofPercent(60), new Turn("vgg19", 3, 300)),
              Partition.of(Share.ofPercent(40), new Turn("resnet50", 4, 400))));

  private static WorkloadProfile profile(String name) {
    return ProfileBook.builtIn().workload(name).orElseThrow();
  }

  private static ModelDurations durations(double deviation, long seed) {
    DeviceType type =
        new DeviceType(
            V100,
            DeviceCatalogue.builtIn().require(V100).memory(),
            1,
            1,
            ProfileBook.builtIn().requireDevice(V100));
    return new ModelDurations(
        new Fleet(
            List.of(type),
            List.of(service("vgg19"), service("resnet50")),
            List.of(),
            List.of(),
            Arrivals.CONSTANT),
        deviation,
        seed);
  }

  private static Service service(String name) {
    return new Service(name, 20, 300, null, Map.of(V100, profile(name)));
  }

  private static double millis(ModelDurations durations, int beside) {
    return durations.times(GPU, new int[] {0, beside}, 0).latencyMillis(3);
  }

  /** Alone: upload, scheduling, active time and result of the profile [iGniter, section 3.1]. */
  @Test
  void aloneABatchTakesTheTimesOfItsProfile() {
    WorkloadProfile vgg = profile("vgg19");
    double transfer = 3 * (vgg.inputBytes() + vgg.outputBytes()) / 1e7;
    double expected = transfer + vgg.schedulingMillis() + vgg.activeTime().millis(3, 60);

    assertThat(millis(durations(0, 1), BatchDurations.IDLE)).isCloseTo(expected, within(1e-9));
  }

  @Test
  void aRunningNeighbourSlowsIt() {
    ModelDurations durations = durations(0, 1);

    assertThat(millis(durations, 0)).isGreaterThan(millis(durations, BatchDurations.IDLE));
  }

  @Test
  void theErrorOfAServiceBelongsToTheSeed() {
    double exact = millis(durations(0, 1), 0);

    assertThat(millis(durations(0.04, 1), 0)).isEqualTo(millis(durations(0.04, 1), 0));
    assertThat(millis(durations(0.04, 1), 0)).isNotEqualTo(millis(durations(0.04, 2), 0));
    assertThat(millis(durations(0.04, 1), 0) / exact).isBetween(0.8, 1.25);
  }
}
