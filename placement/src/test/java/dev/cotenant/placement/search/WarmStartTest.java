package dev.cotenant.placement.search;

import static dev.cotenant.placement.fleet.RandomFleets.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Verification;
import dev.cotenant.placement.search.WarmStart.Limits;
import dev.cotenant.placement.search.WarmStart.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WarmStartTest {
  private static final Limits GENEROUS = new Limits(1000, true, 0.2);
  private static final Limits NO_MOVES = new Limits(0, false, 0.2);
  private static final double CHANGE = 0.3;

  private final WarmStart warm = new WarmStart();

  private static Fleet fleet(int gpus, Service... services) {
    return new Fleet(
        List.of(RandomFleets.v100(gpus)),
        List.of(services),
        List.of(),
        List.of(),
        Arrivals.CONSTANT);
  }

  private static FleetPlan fromScratch(Fleet fleet) {
    return new Best(new Settings(Duration.ofHours(1), 1, 0), List.of(), () -> 0).plan(fleet);
  }

  private static Verification verify(Fleet fleet, Revision revision) {
    List<PlannedGpu> used =
        revision.gpus().stream().filter(gpu -> !gpu.partitions().isEmpty()).toList();
    return new PlacementVerifier(fleet).ofServices(FleetPlan.of("warm", used, List.of()));
  }

  private static Fleet changed(Fleet fleet, double share, SplittableRandom random) {
    List<Service> services = new ArrayList<>();
    for (Service each : fleet.services()) {
      double factor =
          random.nextDouble() < share ? random.nextBoolean() ? 1 + CHANGE : 1 - CHANGE : 1;
      services.add(
          new Service(
              each.name(),
              each.sloMillis(),
              each.requestsPerSecond() * factor,
              each.memory(),
              each.profiles()));
    }
    return fleet.serving(services);
  }

  @Test
  void changesNothingWhereAllKeepTheirLimits() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);
    FleetPlan running = fromScratch(fleet);

    Revision revision = warm.revise(fleet, running.gpus(), GENEROUS);

    assertThat(revision.gpus()).isEqualTo(running.gpus());
    assertThat(revision.moves()).isZero();
    assertThat(revision.shortfalls()).isEmpty();
  }

  @Test
  void placesServicesThatRunNowhere() {
    Fleet fleet = RandomFleets.twelve(Arrivals.CONSTANT);

    Revision revision = warm.revise(fleet, List.of(), GENEROUS);

    assertThat(verify(fleet, revision).faults()).isEmpty();
    assertThat(verify(fleet, revision).missed()).isZero();
    assertThat(revision.moves()).isZero();
  }

  @Test
  void takesAnotherBatchBeforeItTakesAnotherShare() {
    Partition running = Partition.of(Share.ofPercent(50), new Turn("a", 1, 100));

    Revision revision =
        warm.revise(
            fleet(1, service("a", "resnet50", 40, 350)),
            List.of(PlannedGpu.serving(RandomFleets.V100, List.of(running))),
            NO_MOVES);

    Partition after = revision.gpus().getFirst().partitions().getFirst();
    assertThat(after.share()).isEqualTo(running.share());
    assertThat(after.turns().getFirst().batch()).isGreaterThan(1);
  }

  @Test
  void growsTheShareOnTheSameGpuBeforeItMoves() {
    Fleet before = fleet(2, service("a", "resnet50", 40, 200), service("b", "alexnet", 10, 100));
    FleetPlan running = fromScratch(before);
    Fleet after = fleet(2, service("a", "resnet50", 40, 400), service("b", "alexnet", 10, 100));

    Revision revision = warm.revise(after, running.gpus(), NO_MOVES);

    assertThat(running.gpus()).hasSize(1);
    assertThat(revision.gpus()).hasSize(1);
    assertThat(verify(after, revision).missed()).isZero();
    assertThat(revision.moves()).isZero();
  }

  @Test
  void opensAGpuWhereTheServicesNoLongerFit() {
    Fleet before = fleet(9, service("a", "vgg19", 40, 200), service("b", "resnet50", 40, 250));
    FleetPlan running = fromScratch(before);
    Fleet after = fleet(9, service("a", "vgg19", 40, 380), service("b", "resnet50", 40, 450));

    Revision revision = warm.revise(after, running.gpus(), GENEROUS);

    assertThat(running.gpus()).hasSize(1);
    assertThat(revision.gpus()).hasSize(2);
    assertThat(verify(after, revision).missed()).isZero();
    assertThat(revision.moves()).isEqualTo(1);
  }

  @Test
  void leavesAllAsItRunsWhereNoMoveIsAllowed() {
    Fleet before = fleet(9, service("a", "vgg19", 40, 200), service("b", "resnet50", 40, 250));
    FleetPlan running = fromScratch(before);
    Fleet after = fleet(9, service("a", "vgg19", 40, 380), service("b", "resnet50", 40, 450));

    Revision revision = warm.revise(after, running.gpus(), NO_MOVES);

    assertThat(revision.gpus()).hasSize(1);
    assertThat(revision.spent()).isTrue();
    assertThat(verify(after, revision).faults()).isEmpty();
  }

  @Test
  void saysHowManyGpusAreMissing() {
    Fleet before = fleet(1, service("a", "vgg19", 40, 200), service("b", "resnet50", 40, 250));
    FleetPlan running = fromScratch(before);
    Fleet after = fleet(1, service("a", "vgg19", 40, 380), service("b", "resnet50", 40, 450));

    Revision revision = warm.revise(after, running.gpus(), GENEROUS);

    assertThat(revision.shortfalls())
        .singleElement()
        .satisfies(shortfall -> {
          assertThat(shortfall.moreGpus()).isEqualTo(1);
          assertThat(shortfall.device()).isEqualTo(RandomFleets.V100);
          assertThat(shortfall.reasons()).isNotEmpty();
        });
  }

  @Test
  void givesAGpuBackForFewMoves() {
    Fleet before = fleet(9, service("a", "vgg19", 40, 380), service("b", "resnet50", 40, 450));
    FleetPlan running = fromScratch(before);
    Fleet after = fleet(9, service("a", "vgg19", 40, 100), service("b", "resnet50", 40, 100));

    Revision kept = warm.revise(after, running.gpus(), new Limits(1000, false, 0.2));
    Revision given = warm.revise(after, running.gpus(), GENEROUS);

    assertThat(running.gpus()).hasSize(2);
    assertThat(kept.gpus()).noneMatch(gpu -> gpu.partitions().isEmpty());
    assertThat(given.gpus()).filteredOn(gpu -> gpu.partitions().isEmpty()).hasSize(1);
    assertThat(given.moves()).isEqualTo(1);
  }

  @Test
  void neitherMovesNorOpensForAPriceOfAWholeGpu() {
    Fleet before = fleet(9, service("a", "vgg19", 40, 380), service("b", "resnet50", 40, 450));
    FleetPlan running = fromScratch(before);
    Fleet after = fleet(9, service("a", "vgg19", 40, 100), service("b", "resnet50", 40, 100));

    Revision revision = warm.revise(after, running.gpus(), new Limits(1000, true, 1));

    assertThat(revision.moves()).isZero();
  }

  @Test
  void revisedPlansOfRandomFleetsHaveNoFaults() {
    for (long seed = 0; seed < 16; seed++) {
      Fleet before = RandomFleets.of(seed, Arrivals.CONSTANT);
      FleetPlan running = fromScratch(before);
      Fleet after = changed(before, 0.5, new SplittableRandom(seed));
      Revision revision = warm.revise(after, running.gpus(), GENEROUS);
      Revision again = warm.revise(RandomFleets.shuffled(after, 7), running.gpus(), GENEROUS);

      assertThat(again.gpus()).as("seed %d", seed).isEqualTo(revision.gpus());
      for (PlannedGpu gpu : revision.gpus()) {
        int permille = gpu.partitions().stream().mapToInt(each -> each.share().permille()).sum();
        assertThat(permille).as("seed %d", seed).isLessThanOrEqualTo(1000);
      }
      if (revision.shortfalls().isEmpty() && !revision.spent()) {
        assertThat(verify(after, revision).faults()).as("seed %d", seed).isEmpty();
        assertThat(verify(after, revision).missed()).as("seed %d", seed).isZero();
      }
    }
  }

  @Test
  void keepsSharesThatAreNoWholeUnitsUntilTheyChange() {
    Partition odd = Partition.of(Share.ofPercent(33.3), new Turn("a", 4, 100));
    Partition large = Partition.of(Share.ofPercent(66.6), new Turn("b", 4, 100));
    List<PlannedGpu> running = List.of(PlannedGpu.serving(RandomFleets.V100, List.of(odd, large)));
    Fleet same = fleet(9, service("a", "resnet50", 60, 100), service("b", "resnet50", 60, 100));
    Fleet more = fleet(9, service("a", "resnet50", 60, 500), service("b", "resnet50", 60, 100));

    Revision kept = warm.revise(same, running, GENEROUS);
    Revision grown = warm.revise(more, running, GENEROUS);

    assertThat(kept.gpus().getFirst().partitions())
        .extracting(Partition::share)
        .containsExactly(odd.share(), large.share());
    assertThat(verify(more, grown).faults()).isEmpty();
    assertThat(verify(more, grown).missed()).isZero();
  }

  @Test
  void refusesServicesInTurns() {
    Partition turns =
        new Partition(Share.WHOLE, List.of(new Turn("a", 1, 1.0), new Turn("b", 1, 1.0)));
    List<PlannedGpu> running = List.of(PlannedGpu.serving(RandomFleets.V100, List.of(turns)));

    assertThatThrownBy(
            () -> warm.revise(fleet(1, service("a", "resnet50", 40, 1)), running, GENEROUS))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("turns");
  }

  @Test
  void refusesPricesAndNumbersOfMovesThatAreNone() {
    assertThatThrownBy(() -> new Limits(-1, true, 0.2)).hasMessageContaining("-1");
    assertThatThrownBy(() -> new Limits(1, true, Double.NaN)).hasMessageContaining("NaN");
    assertThatThrownBy(() -> new Limits(1, true, 0)).hasMessageContaining("0");
  }

  @Test
  void movesFewAndOpensFewWhereOneRateInTenChanges() {
    Fleet before = RandomFleets.twelve(Arrivals.CONSTANT);
    List<Service> many = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 60; i++) {
      Service each = before.services().get(i % 12);
      double rate = each.requestsPerSecond() * (0.5 + 0.5 * random.nextDouble());
      many.add(
          new Service(String.format("s%03d", i), each.sloMillis(), rate, null, each.profiles()));
    }
    Collections.sort(many, (a, b) -> a.name().compareTo(b.name()));
    Fleet fleet = before.serving(many);
    FleetPlan running = fromScratch(fleet);
    Fleet after = changed(fleet, 0.1, random);

    Revision revision = warm.revise(after, running.gpus(), GENEROUS);
    long used = revision.gpus().stream().filter(gpu -> !gpu.partitions().isEmpty()).count();

    assertThat(verify(after, revision).missed()).isZero();
    assertThat(revision.moves()).isLessThanOrEqualTo(6);
    assertThat(used).isLessThanOrEqualTo(fromScratch(after).gpus().size() + 1);
  }
}
