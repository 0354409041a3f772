package dev.cotenant.placement.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Verification;
import dev.cotenant.placement.glet.GpuletPlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.inss.InssPlanner;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every strategy of this module promises, on the same seeded fleets. */
class PlannersTest {
  private static final int SEEDS = 80;

  /** And those that found faults when thousands were tried. */
  private static final long[] SEEDS_AND_FOUND =
      LongStream.concat(LongStream.range(0, SEEDS), LongStream.of(748, 2793, 5113)).toArray();

  private static final Settings UNLIMITED = new Settings(Duration.ofHours(1), 1, 0);

  static Stream<ServicePlanner> published() {
    return Stream.of(
        IgniterPlanner.IGNITER,
        GpuletPlanner.GPULETS,
        GpuletPlanner.GPULETS_WITHOUT_INTERFERENCE,
        GpuletPlanner.SQUISHY_BIN_PACKING,
        GpuletPlanner.SELF_TUNING,
        IgniterPlanner.FFD,
        IgniterPlanner.FFD_WITH_RAISING,
        IgniterPlanner.GSLICE,
        IgniterPlanner.GPULETS,
        new InssPlanner());
  }

  /** Exhaustive: for small fleets only. */
  static Stream<ServicePlanner> all() {
    return Stream.concat(published(), Stream.of(GpuletPlanner.IDEAL, best(List.of())));
  }

  /** iGniter's own sort is stable on the input, and so are those of its baselines. */
  static Stream<ServicePlanner> orderless() {
    return all().filter(planner -> !planner.getClass().getName().contains(".igniter."));
  }

  private static Best best(List<ServicePlanner> others) {
    return new Best(UNLIMITED, others, () -> 0);
  }

  private static Fleet fleet(ServicePlanner planner, long seed) {
    Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);
    return planner.equals(GpuletPlanner.IDEAL) ? small(fleet, seed) : fleet;
  }

  private static Fleet small(Fleet fleet, long seed) {
    List<Service> few = fleet.services().stream().limit(1 + seed % 4).toList();
    DeviceType one = fleet.devices().getFirst();
    DeviceType three = new DeviceType(one.id(), one.memory(), one.pricePerHour(), 3, one.profile());
    return new Fleet(List.of(three), few, List.of(), List.of(), Arrivals.CONSTANT);
  }

  @ParameterizedTest
  @MethodSource("all")
  void makesPlansWithoutFaults(ServicePlanner planner) {
    for (long seed : SEEDS_AND_FOUND) {
      Fleet fleet = fleet(planner, seed);

      Verification verification = new PlacementVerifier(fleet).ofServices(planner.plan(fleet));

      assertThat(verification.faults()).as("%s, seed %d", planner.name(), seed).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void makesPlansWithoutFaultsWhereMemoryDependsOnTheBatch(ServicePlanner planner) {
    for (long seed = 0; seed < SEEDS / 2; seed++) {
      Fleet fleet = RandomFleets.withMemoryByBatch(fleet(planner, seed), seed);

      Verification verification = new PlacementVerifier(fleet).ofServices(planner.plan(fleet));

      assertThat(verification.faults()).as("%s, seed %d", planner.name(), seed).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void makesTheSamePlanOfTheSameFleet(ServicePlanner planner) {
    for (long seed = 0; seed < SEEDS / 4; seed++) {
      Fleet fleet = fleet(planner, seed);

      assertThat(planner.plan(fleet)).isEqualTo(planner.plan(fleet));
    }
  }

  @ParameterizedTest
  @MethodSource("orderless")
  void doesNotDependOnTheOrderOfTheFleet(ServicePlanner planner) {
    for (long seed = 0; seed < SEEDS / 4; seed++) {
      Fleet fleet = fleet(planner, seed);

      assertThat(planner.plan(RandomFleets.shuffled(fleet, seed)).gpus())
          .as("%s, seed %d", planner.name(), seed)
          .isEqualTo(planner.plan(fleet).gpus());
    }
  }

  @Test
  void bestIsNeverWorseThanAnyOther() {
    List<ServicePlanner> others = published().toList();
    for (long seed = 100; seed < 100 + SEEDS / 2; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);
      PlacementVerifier verifier = new PlacementVerifier(fleet);
      Comparator<FleetPlan> better =
          Comparator.comparingInt((FleetPlan plan) -> verifier.ofServices(plan).missed())
              .thenComparingDouble(plan -> plan.costPerHour(fleet))
              .thenComparingInt(plan -> plan.gpus().size());
      FleetPlan best = best(others).plan(fleet);
      for (ServicePlanner other : others) {
        assertThat(better.compare(best, other.plan(fleet)))
            .as("%s, seed %d", other.name(), seed)
            .isLessThanOrEqualTo(0);
      }
      assertThat(verifier.ofServices(best).faults()).isEmpty();
    }
  }

  /** Even without looking at their plans it misses no more services than they do. */
  @Test
  void bestAloneMissesNoMoreThanAnyOther() {
    for (long seed = 200; seed < 200 + SEEDS / 2; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);
      PlacementVerifier verifier = new PlacementVerifier(fleet);
      Verification best = verifier.ofServices(best(List.of()).plan(fleet));
      Verification igniter = verifier.ofServices(IgniterPlanner.IGNITER.plan(fleet));

      assertThat(best.missed()).as("seed %d", seed).isLessThanOrEqualTo(igniter.missed());
    }
  }

  @Test
  void bestKeepsMoreRequestsInTimeThanAnyOther() {
    List<ServicePlanner> others = published().toList();
    RequestSimulation.Settings settings = RequestSimulation.Settings.of(Arrivals.POISSON, 1);
    for (long seed = 300; seed < 308; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.POISSON);
      RequestSimulation simulation = new RequestSimulation(fleet, settings);
      FleetPlan best = best(others).plan(fleet);
      for (ServicePlanner other : others) {
        assertThat(simulation.met(best))
            .as("%s, seed %d", other.name(), seed)
            .isGreaterThanOrEqualTo(simulation.met(other.plan(fleet)));
      }
    }
  }
}
