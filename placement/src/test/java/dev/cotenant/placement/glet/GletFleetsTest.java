package dev.cotenant.placement.glet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Unplaced;
import dev.cotenant.placement.fleet.Verification;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every strategy promises, on seeded fleets. */
class GletFleetsTest {
  private static final int SEEDS = 60;

  static Stream<ServicePlanner> planners() {
    return Stream.of(
        GpuletPlanner.GPULETS,
        GpuletPlanner.GPULETS_WITHOUT_INTERFERENCE,
        GpuletPlanner.SQUISHY_BIN_PACKING,
        GpuletPlanner.SELF_TUNING);
  }

  /** At most four services and three GPUs, so that every plan can be tried. */
  private static Fleet small(long seed) {
    Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);
    List<Service> few = fleet.services().stream().limit(1 + seed % 4).toList();
    DeviceType all = fleet.devices().getFirst();
    DeviceType three = new DeviceType(all.id(), all.memory(), all.pricePerHour(), 3, all.profile());
    return new Fleet(List.of(three), few, List.of(), List.of(), Arrivals.CONSTANT);
  }

  @ParameterizedTest
  @MethodSource("planners")
  void makesPlansWithoutFaults(ServicePlanner planner) {
    LongStream.range(0, SEEDS)
        .mapToObj(seed -> RandomFleets.of(seed, Arrivals.CONSTANT))
        .forEach(fleet -> {
          Verification verification = new PlacementVerifier(fleet).ofServices(planner.plan(fleet));
          assertThat(verification.faults()).as(planner.name() + " " + fleet.services()).isEmpty();
        });
  }

  @ParameterizedTest
  @MethodSource("planners")
  void doesNotDependOnTheOrderOfTheFleet(ServicePlanner planner) {
    for (long seed = 0; seed < SEEDS / 3; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);

      assertThat(planner.plan(RandomFleets.shuffled(fleet, seed))).isEqualTo(planner.plan(fleet));
    }
  }

  @ParameterizedTest
  @MethodSource("planners")
  void plansNothingForNobody(ServicePlanner planner) {
    Fleet empty =
        new Fleet(
            List.of(RandomFleets.v100(1)), List.of(), List.of(), List.of(), Arrivals.CONSTANT);

    assertThat(planner.plan(empty)).isEqualTo(FleetPlan.of(planner.name(), List.of(), List.of()));
  }

  @ParameterizedTest
  @MethodSource("planners")
  void saysWhyAServiceHasNoPlace(ServicePlanner planner) {
    Fleet fleet =
        new Fleet(
            List.of(RandomFleets.v100(1)),
            List.of(
                new Service("unknown", 10, 10, null, Map.of()),
                RandomFleets.service("hasty", "ssd", 1, 10),
                RandomFleets.service("huge", "vgg19", 40, 5000)),
            List.of(),
            List.of(),
            Arrivals.CONSTANT);

    FleetPlan plan = planner.plan(fleet);

    assertThat(plan.gpus()).isEmpty();
    assertThat(plan.unplaced())
        .extracting(Unplaced::name)
        .containsExactly("hasty", "huge", "unknown");
    assertThat(plan.unplaced().stream().map(u -> u.reasons().getFirst().getClass().getSimpleName()))
        .containsExactly("ObjectiveUnreachable", "RateUnreachable", "NotProfiled");
    assertThat(new PlacementVerifier(fleet).ofServices(plan).faults()).isEmpty();
  }

  @Test
  void blamesTheCountOnlyWhenAllGpusAreInUse() {
    Fleet fleet =
        new Fleet(
            List.of(RandomFleets.v100(1)),
            List.of(
                RandomFleets.service("first", "vgg19", 40, 450),
                RandomFleets.service("second", "vgg19", 40, 440)),
            List.of(),
            List.of(),
            Arrivals.CONSTANT);

    FleetPlan plan = GpuletPlanner.GPULETS.plan(fleet);

    assertThat(plan.unplaced())
        .containsExactly(
            new Unplaced("second", List.of(new PlanReason.CountLimit(RandomFleets.V100, 1))));
  }

  /** Whole GPUs in turns are what the evaluator counts too: it finds nothing broken. */
  @Test
  void packsWithoutViolations() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);
      FleetPlan plan = GpuletPlanner.SQUISHY_BIN_PACKING.plan(fleet);

      assertThat(new PlacementVerifier(fleet).ofServices(plan).violated()).isEmpty();
    }
  }

  @Test
  void splitsAGpuIntoTwoAtTheMost() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);
      for (ServicePlanner planner : planners().toList()) {
        assertThat(planner.plan(fleet).gpus())
            .extracting(PlannedGpu::partitions)
            .allMatch(partitions -> partitions.size() <= 2);
      }
    }
  }

  @Test
  void idealIsNeverWorseThanAnyOtherPlanThatHolds() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Fleet fleet = small(seed);
      FleetPlan ideal = GpuletPlanner.IDEAL.plan(fleet);
      assertThat(new PlacementVerifier(fleet).ofServices(ideal).faults()).isEmpty();
      for (ServicePlanner planner :
          List.of(GpuletPlanner.GPULETS, GpuletPlanner.SQUISHY_BIN_PACKING)) {
        FleetPlan other = planner.plan(fleet);
        String label = planner.name() + " seed " + seed;
        assertThat(ideal.unplaced().size()).as(label).isLessThanOrEqualTo(other.unplaced().size());
        if (ideal.unplaced().size() == other.unplaced().size() && ideal.unplaced().isEmpty()) {
          assertThat(ideal.gpus().size()).as(label).isLessThanOrEqualTo(other.gpus().size());
        }
      }
    }
  }

  @Test
  void idealRefusesWhatItCannotTryOut() {
    assertThatThrownBy(() -> GpuletPlanner.IDEAL.plan(RandomFleets.twelve(Arrivals.CONSTANT)))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("ideal-too-large"))
        .hasMessageContaining("12");
  }
}
