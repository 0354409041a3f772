package dev.cotenant.placement.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OneByOneTest {
  private static final Slowdown LIMIT = Slowdown.ofRatio(1.15);

  private static FleetPlan plan(Fleet fleet) {
    return OneByOne.plan(fleet, LIMIT);
  }

  private static Fleet fleet(int gpus, Service... services) {
    return new Fleet(
        List.of(RandomFleets.v100(gpus)),
        List.of(services),
        List.of(),
        List.of(),
        Arrivals.POISSON);
  }

  @Test
  void keepsTheObjectivesOfTheTwelveWorkloads() {
    Fleet twelve = RandomFleets.twelve(Arrivals.POISSON);
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
    Fleet twelve = RandomFleets.twelve(Arrivals.POISSON);
    OneByOne arriving = new OneByOne(twelve.devices().getFirst(), LIMIT);
    List<Partition> before = new ArrayList<>();
    for (Service service : twelve.services()) {
      assertThat(arriving.admit(service)).isTrue();
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
    FleetPlan plan = plan(fleet(100, RandomFleets.service("s", "vgg19", 40, 2000)));

    assertThat(plan.unplaced()).isEmpty();
    assertThat(plan.gpus().size()).isGreaterThan(1);
    double served =
        plan.gpus().stream()
            .flatMap(gpu -> gpu.partitions().stream())
            .mapToDouble(partition -> partition.turns().getFirst().requestsPerSecond())
            .sum();
    assertThat(served).isCloseTo(2000, org.assertj.core.api.Assertions.within(1e-6));
  }

  @Test
  void refusesWhatHasNoPlace() {
    Service[] many =
        IntStream.range(0, 9)
            .mapToObj(i -> RandomFleets.service("s" + i, "ssd", 40, 100))
            .toArray(Service[]::new);
    FleetPlan full = plan(fleet(1, many));
    assertThat(full.gpus()).hasSize(1);
    assertThat(full.unplaced()).isNotEmpty().hasSizeLessThan(9);

    FleetPlan impossible = plan(fleet(10, RandomFleets.service("s", "ssd", 0.5, 1)));
    assertThat(impossible.gpus()).isEmpty();
    assertThat(impossible.unplaced()).hasSize(1);

    Service unknown = new Service("s", 40, 1, null, Map.of());
    assertThat(plan(fleet(10, unknown)).unplaced()).hasSize(1);
  }
}
