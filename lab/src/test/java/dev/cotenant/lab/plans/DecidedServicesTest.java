package dev.cotenant.lab.plans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.profile.ServedWorkload;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DecidedServicesTest {
  private static final SharingLimits LIMITS =
      SharingLimits.DEFAULT.withTenants(8).withLeastCoverage(Coverage.of(0.5));

  private static DecidedServices services() {
    return new DecidedServices(
        new SharingDecider(FallbackInterferenceModel.builtIn()),
        LIMITS,
        new DeviceId(IgniterFleets.V100));
  }

  private static List<Boolean> admit(DecidedServices arriving, Fleet fleet) {
    return fleet.services().stream()
        .map(service -> arriving.admit(service, fleet.devices().getFirst()))
        .toList();
  }

  private static FleetPlan plan(Fleet fleet) {
    DecidedServices arriving = services();
    admit(arriving, fleet);
    return arriving.plan();
  }

  private static Fleet fleet(ServedWorkload... services) {
    return IgniterFleets.of(List.of(services)).with(Arrivals.POISSON);
  }

  @Test
  void keepsTheObjectivesOfTheTwelveWorkloads() {
    Fleet twelve = IgniterFleets.twelve().with(Arrivals.POISSON);
    FleetPlan plan = plan(twelve);

    assertThat(new PlacementVerifier(twelve).ofServices(plan).faults()).isEmpty();
    assertThat(plan.unplaced()).isEmpty();
    assertThat(plan.gpus()).hasSizeLessThan(12);
    RequestSimulation simulation =
        new RequestSimulation(twelve, RequestSimulation.Settings.of(Arrivals.POISSON, 3));
    assertThat(simulation.late(plan)).isEmpty();
  }

  @Test
  void leavesEarlierServicesAsTheyAre() {
    Fleet twelve = IgniterFleets.twelve().with(Arrivals.POISSON);
    DecidedServices arriving = services();
    List<Partition> before = new ArrayList<>();
    for (Service service : twelve.services()) {
      assertThat(arriving.admit(service, twelve.devices().getFirst())).isTrue();
      List<Partition> now =
          arriving.plan().gpus().stream().flatMap(gpu -> gpu.partitions().stream()).toList();
      assertThat(now).containsAll(before);
      before = now;
    }
    arriving.clear();
    assertThat(arriving.plan().gpus()).isEmpty();
  }

  @Test
  void dividesARateThatNoGpuServesAlone() {
    FleetPlan plan = plan(fleet(new ServedWorkload("s", "vgg19", 40, 2000)));

    assertThat(plan.unplaced()).isEmpty();
    assertThat(plan.gpus().size()).isGreaterThan(1);
    double served =
        plan.gpus().stream()
            .flatMap(gpu -> gpu.partitions().stream())
            .mapToDouble(partition -> partition.turns().getFirst().requestsPerSecond())
            .sum();
    assertThat(served).isCloseTo(2000, within(1e-6));
  }

  @Test
  void refusesWhatHasNoPlace() {
    ServedWorkload[] many =
        IntStream.range(0, 9)
            .mapToObj(i -> new ServedWorkload("s" + i, "ssd", 40, 2500))
            .toArray(ServedWorkload[]::new);
    DecidedServices full = services();
    List<Boolean> admitted = admit(full, fleet(many));
    assertThat(admitted.getFirst()).isTrue();
    assertThat(admitted.getLast()).as("64 GPUs").isFalse();
    assertThat(full.plan().gpus()).hasSizeLessThanOrEqualTo(64);
    assertThat(full.plan().unplaced())
        .hasSize(Math.toIntExact(admitted.stream().filter(a -> !a).count()));

    FleetPlan impossible = plan(fleet(new ServedWorkload("s", "ssd", 0.5, 1)));
    assertThat(impossible.gpus()).isEmpty();
    assertThat(impossible.unplaced()).hasSize(1);

    Fleet unknown =
        fleet(new ServedWorkload("s", "ssd", 40, 1))
            .serving(List.of(new Service("s", 40, 1, null, Map.of())));
    assertThat(plan(unknown).unplaced()).hasSize(1);
  }
}
