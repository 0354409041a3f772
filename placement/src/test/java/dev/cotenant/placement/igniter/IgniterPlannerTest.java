package dev.cotenant.placement.igniter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IgniterPlannerTest {
  private static FleetPlan plan(Fleet fleet) {
    return IgniterPlanner.IGNITER.plan(fleet);
  }

  /** Named in the order of the published code: the four models of App1, then App2, then App3. */
  @Test
  void plansThePapersTwelveOnSixGpus() {
    Fleet fleet = Fleets.twelve();

    FleetPlan plan = plan(fleet);

    assertThat(Fleets.text(plan))
        .isEqualTo(
            """
            W12 b8 92.5
            W8 b6 75.0 + W11 b1 15.0
            W7 b3 60.0 + W4 b4 32.5
            W10 b2 60.0 + W9 b4 37.5
            W5 b9 50.0 + W1 b6 22.5 + W6 b4 15.0 + W3 b8 12.5
            W2 b3 7.5\
            """);
    assertThat(plan.costPerHour(fleet)).isCloseTo(18.36, within(1e-9));
    assertThat(plan.unplaced()).isEmpty();
    assertThat(Fleets.violations(fleet, plan)).isZero();
  }

  @Test
  void splitsWhatIsTooLargeForOneGpuIntoTheFewestEqualParts() {
    // A V100 serves 546 of these a second in time: 1200 take three parts of 400. The last finds the
    // room that was left beside the first.
    Fleet fleet =
        Fleets.of(
            List.of(
                Fleets.service("small", "alexnet", 15, 400),
                Fleets.service("big", "vgg19", 30, 1200)));

    FleetPlan plan = plan(fleet);

    assertThat(Fleets.text(plan))
        .isEqualTo("big b6 75.0 + small b3 10.0\nbig b6 72.5\nbig b6 72.5");
    assertThat(plan.gpus().get(1).partitions().getFirst().turns().getFirst().requestsPerSecond())
        .isEqualTo(400);
    assertThat(Fleets.violations(fleet, plan)).isZero();
  }

  @Test
  void splitsABatchThatTheCoefficientsDoNotReach() {
    // 5000 requests come in half the objective; ResNet-50's k1·b² + k2·b + k3 is below 0 from a
    // batch of 3327 on. Two parts have half of it each, less what uploads take.
    Fleet fleet = Fleets.of(List.of(Fleets.service("slow", "resnet50", 1e5, 100)));

    FleetPlan plan = plan(fleet);

    assertThat(Fleets.text(plan)).isEqualTo("slow b2493 2.5 + slow b2493 2.5");
    assertThat(Fleets.violations(fleet, plan)).isZero();
  }

  @Test
  void takesTheFirstPartsBackWhenTheLastFindsNoGpu() {
    // The first takes all of a GPU, then come two parts of 97.5 % each.
    Fleet fleet =
        Fleets.of(
            List.of(Fleets.v100(2)),
            List.of(
                Fleets.service("first", "ssd", 80, 330),
                Fleets.service("split", "vgg19", 30, 1000),
                Fleets.service("small", "alexnet", 15, 400)));

    FleetPlan plan = plan(fleet);

    assertThat(Fleets.text(plan)).isEqualTo("first b13 100.0\nsmall b3 7.5");
    assertThat(plan.unplaced())
        .containsExactly(
            new Unplaced("split", List.of(new PlanReason.PartsLimit(Fleets.V100, 2, 2))));
  }

  @Test
  void plansTheRestWhenGpusRunOut() {
    FleetPlan plan = plan(Fleets.of(List.of(Fleets.v100(5)), Fleets.twelve().services()));

    assertThat(plan.gpus()).hasSize(5);
    assertThat(plan.unplaced())
        .containsExactly(new Unplaced("W2", List.of(new PlanReason.CountLimit(Fleets.V100, 5))));
  }

  @Test
  void keepsMemoryWithinAGpu() {
    Map<String, dev.cotenant.interference.profile.WorkloadProfile> alexnet =
        Fleets.service("any", "alexnet", 15, 400).profiles();
    Fleet fleet =
        Fleets.of(
            List.of(
                new Service("a", 15, 400, MemorySize.ofGiB(9), alexnet),
                new Service("b", 15, 400, MemorySize.ofGiB(9), alexnet),
                new Service("c", 15, 400, MemorySize.ofGiB(7), alexnet),
                new Service("d", 15, 400, MemorySize.ofGiB(17), alexnet)));

    FleetPlan plan = plan(fleet);

    // 9 + 7 GiB are all of 16; 9 + 9 are more.
    assertThat(Fleets.text(plan)).isEqualTo("a b3 7.5 + c b3 7.5\nb b3 7.5");
    assertThat(plan.unplaced().getFirst().reasons())
        .containsExactly(
            new PlanReason.MemoryBeyondDevice(
                Fleets.V100, MemorySize.ofGiB(17), MemorySize.ofGiB(16)));
  }

  @Test
  void saysWhatAnObjectiveWouldTake() {
    // VGG-19, b 1, r 100: (158.19 + 44.45)/100.19 + 0.926 + 0.039 = 2.988, transfers 0.061: 3.05
    // ms.
    FleetPlan plan = plan(Fleets.of(List.of(Fleets.service("fast", "vgg19", 3, 1))));

    assertThat(plan.gpus()).isEmpty();
    assertThat(plan.unplaced().getFirst().reasons())
        .singleElement()
        .isInstanceOfSatisfying(
            PlanReason.ObjectiveUnreachable.class,
            reason -> {
              assertThat(reason.leastMillis()).isCloseTo(3.05, within(0.005));
              assertThat(reason.budgetMillis()).isEqualTo(1.5);
            });
  }

  @Test
  void saysWhatARateWouldTake() {
    FleetPlan plan =
        plan(
            Fleets.of(
                List.of(Fleets.v100(9)), List.of(Fleets.service("flood", "alexnet", 15, 4e6))));

    assertThat(plan.unplaced().getFirst().reasons())
        .singleElement()
        .isInstanceOf(PlanReason.RateUnreachable.class);
  }

  @Test
  void refusesARateThatWouldTakeAMillionParts() {
    Fleet fleet =
        Fleets.of(
            List.of(Fleets.v100(Integer.MAX_VALUE)),
            List.of(Fleets.service("flood", "alexnet", 15, 1e12)));

    assertThatThrownBy(() -> plan(fleet))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("flood");
  }

  @Test
  void takesTheCheapestKindThatHasAPlaceForEveryone() {
    DeviceType cheap = Fleets.like("t4", 0.526, 20);
    Fleet fleet = Fleets.of(List.of(Fleets.v100(9), cheap), Fleets.twelveOn("t4"));

    assertThat(plan(fleet).gpus()).hasSize(6).allMatch(gpu -> gpu.device().equals("t4"));

    Fleet few = Fleets.of(List.of(Fleets.v100(9), Fleets.like("t4", 0.526, 5)), fleet.services());
    assertThat(plan(few).gpus()).hasSize(6).allMatch(gpu -> gpu.device().equals(Fleets.V100));
  }

  @Test
  void mixesKindsWhereNoneHasAPlaceForEveryone() {
    Fleet fleet =
        Fleets.of(List.of(Fleets.v100(3), Fleets.like("t4", 0.526, 5)), Fleets.twelveOn("t4"));

    FleetPlan plan = plan(fleet);

    // Five T4s leave one over, three V100s more: the T4s first, the one left over on a V100.
    assertThat(plan.unplaced()).isEmpty();
    assertThat(plan.gpus()).hasSize(6);
    assertThat(plan.gpus().getLast().device()).isEqualTo(Fleets.V100);
  }

  @Test
  void givesAReasonForEachKind() {
    Fleet fleet =
        Fleets.of(
            List.of(Fleets.v100(1), Fleets.like("t4", 0.526, 1)),
            List.of(new Service("w", 10, 10, null, Map.of())));

    assertThat(plan(fleet).unplaced())
        .containsExactly(
            new Unplaced(
                "w",
                List.of(
                    new PlanReason.NotProfiled("t4"), new PlanReason.NotProfiled(Fleets.V100))));
  }

  @Test
  void plansNothingForNobody() {
    FleetPlan plan = plan(Fleets.of(List.of()));

    assertThat(plan.gpus()).isEmpty();
    assertThat(plan.unplaced()).isEmpty();
  }
}
