package dev.cotenant.placement.inss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.MemoryByBatch;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class InssPlannerTest {
  /** No transfers, no scheduling delay: t_inf is the active time, and c stretches it. */
  private static final DeviceProfile PLAIN =
      new DeviceProfile("plain", 300, 1000, 0, 1e9, 0, 0, 0, 2.5);

  /** t = 100·b/r + constant; c = 10·b/t; α_cache 0.1. */
  private static WorkloadProfile profile(double constantMillis) {
    return new WorkloadProfile(
        "line",
        "plain",
        new WorkloadProfile.ActiveTime(0, 100, 0, 0, constantMillis),
        0.1,
        new WorkloadProfile.Demand(0, 0, 0.01, 0),
        0,
        0,
        0,
        0);
  }

  private static Service service(String name, double slo, double rate, double constantMillis) {
    return new Service(name, slo, rate, null, Map.of("plain", profile(constantMillis)));
  }

  private static Service holding(String name, int gibibytes) {
    return new Service(name, 40, 100, MemorySize.ofGiB(gibibytes), Map.of("plain", profile(1)));
  }

  private static Fleet fleet(List<FixedShare> placement, Service... services) {
    DeviceType type = new DeviceType("plain", MemorySize.ofGiB(16), 1, 2, PLAIN);
    return new Fleet(List.of(type), List.of(services), List.of(), placement, Arrivals.CONSTANT);
  }

  private static int batch(FleetPlan plan, int gpu, int partition) {
    return plan.gpus().get(gpu).partitions().get(partition).turns().getFirst().batch();
  }

  @Test
  void takesTheLargestBatchInTime() {
    // At 50 % t = 2b + 1; one every 10 ms: the first of a batch waits 10·(b − 1) for it to fill.
    // b 4: 30 + 9 = 39 of 40 ms; b 5: 40 + 11 = 51.
    Fleet fleet =
        fleet(List.of(new FixedShare(0, "a", Share.ofPercent(50))), service("a", 40, 100, 1));

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(batch(plan, 0, 0)).isEqualTo(4);
    assertThat(plan.unplaced()).isEmpty();
    assertThat(plan.notes()).isEmpty();
  }

  @Test
  void waitsForBatchesBeforeItsOwnWhenThereIsABacklog() {
    // With 9 waiting already: b 7: ⌈10/7⌉ = 2 batches of 15 ms after the 15 − 10 ms that run: 35.
    // b 8: 2·17 + 7 = 41.
    Fleet fleet =
        fleet(List.of(new FixedShare(0, "a", Share.ofPercent(50))), service("a", 40, 100, 1));

    assertThat(batch(new InssPlanner(new GivenPlacement(), 9).plan(fleet), 0, 0)).isEqualTo(7);
  }

  @Test
  void feelsTheCacheOfItsNeighbour() {
    // 2 requests come in half the objective; the neighbour's c at b 2 and 50 %: 10·2/5 = 4 %:
    // t = (2b + 1)·1.4. b 4: 30 + 12.6 = 42.6; b 3: 20 + 9.8 = 29.8 of 40 ms.
    Fleet fleet =
        fleet(
            List.of(
                new FixedShare(0, "a", Share.ofPercent(50)),
                new FixedShare(0, "b", Share.ofPercent(50))),
            service("a", 40, 100, 1),
            service("b", 40, 100, 1));

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(batch(plan, 0, 0)).isEqualTo(3);
    assertThat(batch(plan, 0, 1)).isEqualTo(3);
  }

  @Test
  void goesOnWhereABatchIsInTimeAndTooSlow() {
    // t = 2b + 10, 320/s. b 8 serves 8/26 ms = 308/s, too slow; b 10 takes 28.1 + 30 = 58.1 of
    // 60 ms and serves 333/s; b 11 takes 63.3.
    Fleet fleet =
        fleet(List.of(new FixedShare(0, "a", Share.ofPercent(50))), service("a", 60, 320, 10));

    assertThat(batch(new InssPlanner().plan(fleet), 0, 0)).isEqualTo(10);
  }

  @Test
  void answersFalseForThoseWithoutABatchAndKeepsTheRest() {
    // At 20 % t = 5b + 1: b 1 takes 6 ms and serves 167/s. 200/s come, one every 5 ms: b 2 is late
    // at 5 + 11 = 16 of 15 ms, b 1 takes 6 and the 1 that is left of the one before: 7.
    Fleet fleet =
        fleet(
            List.of(
                new FixedShare(0, "slow", Share.ofPercent(20)),
                new FixedShare(1, "a", Share.ofPercent(50))),
            service("slow", 15, 200, 1),
            service("a", 40, 100, 1));

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(plan.gpus()).hasSize(1);
    assertThat(plan.notes()).containsExactly("BDA answers false: no batch for slow");
    Unplaced unplaced = plan.unplaced().getFirst();
    assertThat(unplaced.name()).isEqualTo("slow");
    assertThat(unplaced.reasons())
        .singleElement()
        .isInstanceOfSatisfying(
            PlanReason.NoBatch.class,
            reason -> {
              assertThat(reason.prediction().leastMillis()).isCloseTo(7, within(1e-9));
              assertThat(reason.prediction().mostPerSecond()).isCloseTo(1000 / 6.0, within(1e-9));
              assertThat(reason.sentence()).contains("from 1 to 32 meets the objective in 20.0 %");
            });
  }

  @Test
  void givesMemoryToTheFirst() {
    Fleet fleet =
        fleet(
            List.of(
                new FixedShare(0, "b", Share.ofPercent(30)),
                new FixedShare(0, "a", Share.ofPercent(30))),
            holding("a", 9),
            holding("b", 8));

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(plan.gpus().getFirst().partitions()).hasSize(1);
    assertThat(plan.unplaced())
        .containsExactly(
            new Unplaced(
                "a",
                List.of(
                    new PlanReason.MemoryTaken(
                        "plain", MemorySize.ofGiB(9), MemorySize.ofGiB(8)))));
  }

  /** 2 GiB at batch 1, and as many more for every other one, up to 64 at 32. */
  private static Service growing(String name, double slo, double rate) {
    TreeMap<Integer, MemorySize> points = new TreeMap<>();
    points.put(1, MemorySize.ofGiB(2));
    points.put(32, MemorySize.ofGiB(64));
    return service(name, slo, rate, 1).with(new MemoryByBatch(points));
  }

  @Test
  void takesASmallerBatchWhereALargerOneDoesNotFitBesideTheNeighbour() {
    // Without memory it is 3, as in feelsTheCacheOfItsNeighbour; 16 − 12 GiB hold a batch of 2.
    FixedShare first = new FixedShare(0, "a", Share.ofPercent(50));
    FixedShare second = new FixedShare(0, "b", Share.ofPercent(50));
    Fleet beside = fleet(List.of(first, second), growing("a", 40, 100), holding("b", 12));
    Fleet alone = fleet(List.of(first), growing("a", 40, 100));

    FleetPlan plan = new InssPlanner().plan(beside);

    assertThat(plan.unplaced()).isEmpty();
    assertThat(batch(plan, 0, 0)).isEqualTo(2);
    assertThat(batch(new InssPlanner().plan(alone), 0, 0)).isEqualTo(4);
    assertThat(new PlacementVerifier(beside).ofServices(plan).faults()).isEmpty();
  }

  @Test
  void givesEachTheMemoryThatKeepsUpBeforeAnyTakesMore() {
    // At 30 % t = 10b/3 + 1: alone 8 of "a" would be in time and hold all 16 GiB; "b" comes with
    // 12 GiB, and both keep up with their least.
    FixedShare first = new FixedShare(0, "a", Share.ofPercent(30));
    FixedShare second = new FixedShare(0, "b", Share.ofPercent(30));
    Service a = growing("a", 400, 20);
    Service b = growing("b", 60, 150);
    Fleet fleet = fleet(List.of(first, second), a, b);
    int aloneBatch = batch(new InssPlanner().plan(fleet(List.of(first), a)), 0, 0);

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(aloneBatch).isEqualTo(8);
    assertThat(plan.unplaced()).isEmpty();
    assertThat(batch(plan, 0, 0)).isLessThan(aloneBatch);
    assertThat(batch(plan, 0, 1)).isPositive();
    assertThat(new PlacementVerifier(fleet).ofServices(plan).faults()).isEmpty();
  }

  @Test
  void namesTheMemoryOfTheSmallestBatchThatKeepsUpWhereItIsTaken() {
    // At 50 % t = 2b + 10, 320/s: batches from 9 on keep up, 18 GiB.
    TreeMap<Integer, MemorySize> points = new TreeMap<>();
    points.put(1, MemorySize.ofGiB(2));
    points.put(32, MemorySize.ofGiB(64));
    Service large = service("a", 60, 320, 10).with(new MemoryByBatch(points));
    Fleet fleet = fleet(List.of(new FixedShare(0, "a", Share.ofPercent(50))), large);

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(plan.gpus()).isEmpty();
    assertThat(plan.unplaced())
        .containsExactly(
            new Unplaced(
                "a",
                List.of(
                    new PlanReason.MemoryTaken(
                        "plain", MemorySize.ofGiB(18), MemorySize.ofGiB(16)))));
    assertThat(new PlacementVerifier(fleet).ofServices(plan).faults()).isEmpty();
  }

  /** Batches of 32 hold 64 GiB and no GPU has them: those that iGniter takes are smaller. */
  @Test
  void proposesByTheMemoryOfIgnitersBatchWhereNoPlacementIsGiven() {
    Fleet fleet = fleet(List.of(), growing("a", 40, 100), growing("b", 40, 100));

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(plan.unplaced()).isEmpty();
    assertThat(new PlacementVerifier(fleet).ofServices(plan).faults()).isEmpty();
  }

  @Test
  void serviceWithTwoPartitionsServesHalfInEach() {
    Fleet fleet =
        fleet(
            List.of(
                new FixedShare(0, "a", Share.ofPercent(50)),
                new FixedShare(1, "a", Share.ofPercent(50))),
            service("a", 40, 200, 1));

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(plan.gpus()).hasSize(2);
    assertThat(batch(plan, 1, 0)).isEqualTo(4);
    assertThat(plan.gpus().get(1).partitions().getFirst().turns().getFirst().requestsPerSecond())
        .isEqualTo(100);
  }

  @Test
  void saysWhoIsNotInThePlacement() {
    Fleet fleet =
        fleet(
            List.of(new FixedShare(0, "a", Share.ofPercent(50))),
            service("a", 40, 100, 1),
            service("b", 40, 100, 1));

    assertThat(new InssPlanner().plan(fleet).unplaced())
        .containsExactly(new Unplaced("b", List.of(new PlanReason.NotProposed("plain"))));
  }

  @Test
  void refusesPlacementsThatCannotBe() {
    Service a = service("a", 40, 100, 1);
    refuses(fleet(List.of(new FixedShare(0, "other", Share.ofPercent(50))), a), "other");
    refuses(fleet(List.of(new FixedShare(2, "a", Share.ofPercent(50))), a), "GPU 2");
    refuses(fleet(List.of(new FixedShare(-1, "a", Share.ofPercent(50))), a), "GPU -1");
    refuses(
        fleet(
            List.of(
                new FixedShare(0, "a", Share.ofPercent(60)),
                new FixedShare(0, "a", Share.ofPercent(60))),
            a),
        "GPU 0");
  }

  private static void refuses(Fleet fleet, String named) {
    assertThatThrownBy(() -> new InssPlanner().plan(fleet))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(named);
  }

  /** Alone a batch takes 1 ms a request and 1 ms: less than 1,000 a second, and 8,000 come. */
  @Test
  void givesTheRoomOfThoseWithoutABatchToOthers() {
    PlacementPolicy first =
        fleet -> {
          Service service = fleet.services().getFirst();
          List<Unplaced> left =
              fleet.services().stream()
                  .skip(1)
                  .map(each ->
                      new Unplaced(each.name(), List.of(new PlanReason.NotProposed("plain"))))
                  .toList();
          Turn turn = new Turn(service.name(), 1, service.requestsPerSecond());
          Partition whole = Partition.of(Share.WHOLE, turn);
          return FleetPlan.of("x", List.of(PlannedGpu.serving("plain", List.of(whole))), left);
        };
    Fleet fleet = fleet(List.of(), service("a", 40, 8000, 1), service("b", 40, 100, 1));

    FleetPlan plan = new InssPlanner(first, 0).plan(fleet);

    assertThat(plan.gpus()).hasSize(1);
    assertThat(plan.gpus().getFirst().partitions().getFirst().turns().getFirst().service())
        .isEqualTo("b");
    assertThat(plan.unplaced()).extracting(Unplaced::name).containsExactly("a");
    assertThat(plan.notes()).containsExactly("BDA answers false: no batch for a");
  }

  /** Without a placement it asks the policy: iGniter's shares, every one of which has a batch. */
  @Test
  void takesIgnitersSharesWhereNoneAreGiven() {
    ProfileBook book = ProfileBook.builtIn();
    DeviceType v100 =
        new DeviceType("v100-16gb", MemorySize.ofGiB(16), 3.06, 9, book.requireDevice("v100-16gb"));
    List<Service> twelve =
        ProfileBook.twelveWorkloads().served().stream()
            .map(w ->
                new Service(
                    w.name(),
                    w.sloMillis(),
                    w.requestsPerSecond(),
                    null,
                    Map.of("v100-16gb", book.workload(w.profile()).orElseThrow())))
            .toList();
    Fleet fleet = new Fleet(List.of(v100), twelve, List.of(), List.of(), Arrivals.CONSTANT);

    FleetPlan plan = new InssPlanner().plan(fleet);

    assertThat(plan.unplaced()).isEmpty();
    assertThat(plan.notes()).isEmpty();
    assertThat(plan.gpus()).hasSize(6);
    for (PlannedGpu gpu : plan.gpus()) {
      for (Partition partition : gpu.partitions()) {
        assertThat(partition.turns().getFirst().batch()).isBetween(1, 32);
      }
    }
  }
}
