package dev.cotenant.placement.search;

import static dev.cotenant.placement.fleet.RandomFleets.V100;
import static dev.cotenant.placement.fleet.RandomFleets.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Verification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BestTest {
  /** Time stands still, so that only effort ends a search. */
  private static final Settings UNLIMITED = new Settings(Duration.ofHours(1), 1, 0);

  private static FleetPlan plan(Fleet fleet) {
    return new Best(UNLIMITED, List.of(), () -> 0).plan(fleet);
  }

  private static Verification verify(Fleet fleet, FleetPlan plan) {
    return new PlacementVerifier(fleet).ofServices(plan);
  }

  private static Fleet fleet(int gpus, Service... services) {
    return new Fleet(
        List.of(RandomFleets.v100(gpus)),
        List.of(services),
        List.of(),
        List.of(),
        Arrivals.CONSTANT);
  }

  @Test
  void provesThatThePapersTwelveNeedSix() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);

    FleetPlan plan = plan(fleet);

    Verification verification = verify(fleet, plan);
    assertThat(verification.faults()).isEmpty();
    assertThat(verification.missed()).isZero();
    assertThat(plan.gpus()).hasSize(6);
    assertThat(plan.lowerBoundGpus()).hasValue(6);
    assertThat(plan.notes()).anySatisfy(note -> assertThat(note).contains("binds"));
  }

  @Test
  void leavesRoomForQueuesWhereRequestsComeAsTheyLike() {
    Fleet fleet = RandomFleets.twelve(Arrivals.POISSON);

    FleetPlan plan = plan(fleet);

    assertThat(verify(fleet, plan).missed()).isZero();
    RequestSimulation.Settings other = RequestSimulation.Settings.of(Arrivals.POISSON, 77);
    assertThat(new RequestSimulation(fleet, other).met(plan)).isEqualTo(12);
    assertThat(plan.gpus()).hasSizeLessThan(12);
  }

  @Test
  void splitsAServiceThatOneGpuCannotServe() {
    Fleet fleet = fleet(10, service("a", "vgg19", 40, 2000));

    FleetPlan plan = plan(fleet);

    assertThat(verify(fleet, plan).faults()).isEmpty();
    assertThat(verify(fleet, plan).missed()).isZero();
    assertThat(plan.gpus()).hasSizeGreaterThan(1);
  }

  @Test
  void saysWhyAServiceHasNoPlace() {
    Service slow = service("a", "resnet50", 4, 10);
    Service fast = service("b", "vgg19", 40, 2000);
    Service large =
        new Service(
            "c",
            40,
            10,
            MemorySize.ofGiB(17),
            RandomFleets.twelve(Arrivals.CONSTANT).services().getFirst().profiles());
    Fleet fleet = fleet(2, slow, fast, large, service("d", "alexnet", 40, 10));

    FleetPlan plan = plan(fleet);

    assertThat(verify(fleet, plan).faults()).isEmpty();
    assertThat(plan.unplaced()).extracting(each -> each.name()).containsExactly("a", "b", "c");
    assertThat(plan.unplaced().get(0).reasons().getFirst())
        .isInstanceOf(PlanReason.ObjectiveUnreachable.class);
    assertThat(plan.unplaced().get(1).reasons().getFirst())
        .isInstanceOf(PlanReason.RateUnreachable.class);
    assertThat(plan.unplaced().get(2).reasons().getFirst())
        .isInstanceOf(PlanReason.MemoryBeyondDevice.class);
  }

  @Test
  void leavesOutWhatTheGpusCannotTake() {
    Service one = service("a", "ssd", 25, 150);
    Fleet fleet = fleet(1, one, service("b", "ssd", 25, 150), service("c", "alexnet", 40, 10));

    FleetPlan plan = plan(fleet);

    assertThat(verify(fleet, plan).faults()).isEmpty();
    assertThat(plan.unplaced()).hasSize(1);
    assertThat(plan.unplaced().getFirst().reasons())
        .containsExactly(new PlanReason.CountLimit(V100, 1));
    assertThat(plan.notes()).anySatisfy(note -> assertThat(note).contains("device count binds"));
  }

  @Test
  void countsMemory() {
    List<Service> services = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Service small = service("s" + i, "alexnet", 40, 10);
      services.add(new Service(small.name(), 40, 10, MemorySize.ofGiB(6), small.profiles()));
    }
    Fleet fleet = fleet(10, services.toArray(Service[]::new));

    FleetPlan plan = plan(fleet);

    assertThat(verify(fleet, plan).faults()).isEmpty();
    // Two of 6 GiB fit into 16 GiB.
    assertThat(plan.gpus()).hasSize(3);
    assertThat(plan.notes()).anySatisfy(note -> assertThat(note).contains("memory"));
  }

  /** With a tenth of headroom each turn serves at least 1.1 times its rate. */
  @Test
  void keepsHeadroom() {
    Fleet fleet = fleet(10, service("a", "alexnet", 40, 300), service("b", "vgg19", 40, 100));

    FleetPlan plan = new Best(UNLIMITED.withHeadroom(0.1), List.of(), () -> 0).plan(fleet);

    GpuEvaluation evaluation = new GpuEvaluation(fleet);
    for (PlannedGpu gpu : plan.gpus()) {
      for (int i = 0; i < gpu.partitions().size(); i++) {
        Turn turn = gpu.partitions().get(i).turns().getFirst();
        assertThat(evaluation.of(gpu).get(i).getFirst().throughputPerSecond())
            .isGreaterThanOrEqualTo(1.0999 * turn.requestsPerSecond());
      }
    }
  }

  /** With room for twice the requests its own plan is larger than those of others. */
  @Test
  void takesAnothersPlanWhereThatIsBetter() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);
    FleetPlan smaller = plan(fleet);
    Settings spacious = UNLIMITED.withHeadroom(1);
    FleetPlan own = new Best(spacious, List.of(), () -> 0).plan(fleet);
    FleetPlan between = new Best(UNLIMITED.withHeadroom(0.5), List.of(), () -> 0).plan(fleet);
    List<ServicePlanner> others = List.of(planner("first", between), planner("second", smaller));

    FleetPlan plan = new Best(spacious, others, () -> 0).plan(fleet);

    assertThat(own.gpus()).hasSizeGreaterThan(between.gpus().size());
    assertThat(between.gpus()).hasSizeGreaterThan(smaller.gpus().size());
    assertThat(plan.gpus()).isEqualTo(smaller.gpus());
    assertThat(plan.lowerBoundGpus()).isEmpty();
    assertThat(plan.notes())
        .filteredOn(note -> note.startsWith("the plan is that of"))
        .containsExactly("the plan is that of second");
  }

  @Test
  void keepsItsOwnPlanWhereNoOtherIsBetter() {
    Fleet fleet = fleet(10, service("a", "alexnet", 40, 300), service("b", "vgg19", 40, 100));
    FleetPlan own = plan(fleet);
    List<ServicePlanner> others =
        List.of(planner("worse", onePerGpu(fleet)), planner("equal", own));

    FleetPlan plan = new Best(UNLIMITED, others, () -> 0).plan(fleet);

    assertThat(onePerGpu(fleet).gpus()).hasSizeGreaterThan(own.gpus().size());
    assertThat(plan).isEqualTo(own);
  }

  private static FleetPlan onePerGpu(Fleet fleet) {
    List<PlannedGpu> gpus = new ArrayList<>();
    for (Service service : fleet.services()) {
      Turn turn = new Turn(service.name(), 4, service.requestsPerSecond());
      gpus.add(PlannedGpu.serving(V100, List.of(Partition.of(Share.ofPercent(100), turn))));
    }
    return FleetPlan.of("one-each", gpus, List.of());
  }

  private static ServicePlanner planner(String name, FleetPlan plan) {
    return new ServicePlanner() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public FleetPlan plan(Fleet fleet) {
        return plan;
      }
    };
  }

  @Test
  void stillPlansWhenTimeIsUpAtOnce() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);
    long[] clock = {0};
    Settings hasty = new Settings(Duration.ofMillis(1), 1, 0);

    FleetPlan plan = new Best(hasty, List.of(), () -> clock[0] += 1_000_000_000L).plan(fleet);

    assertThat(verify(fleet, plan).faults()).isEmpty();
    assertThat(verify(fleet, plan).missed()).isZero();
    assertThat(plan.notes()).contains("the search stopped at its time limit");
  }

  @Test
  void hasNoFaultsAndDoesNotDependOnOrderOnRandomFleets() {
    for (int seed = 0; seed < 60; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.CONSTANT);

      FleetPlan plan = plan(fleet);

      Verification verification = verify(fleet, plan);
      assertThat(verification.faults()).as("seed %d", seed).isEmpty();
      assertThat(verification.violated()).as("seed %d", seed).isEmpty();
      assertThat(plan(RandomFleets.shuffled(fleet, seed)).gpus())
          .as("seed %d", seed)
          .isEqualTo(plan.gpus());
    }
  }

  @Test
  void hasNoFaultsWhereRequestsComeAsTheyLike() {
    for (int seed = 0; seed < 12; seed++) {
      Fleet fleet = RandomFleets.of(seed, Arrivals.POISSON);

      Verification verification = verify(fleet, plan(fleet));

      assertThat(verification.faults()).as("seed %d", seed).isEmpty();
      assertThat(verification.violated()).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void refusesNonsense() {
    assertThatThrownBy(() -> new Settings(Duration.ZERO, 1, 0)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> Settings.defaults().withHeadroom(-0.1))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("-0.1");
    assertThatThrownBy(() -> Settings.defaults().withHeadroom(Double.NaN))
        .isInstanceOf(InputException.class);
  }
}
