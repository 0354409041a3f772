package dev.cotenant.placement.igniter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.placement.fleet.Service;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanningCostTest {
  @Test
  void countsTheSamePlanAsThePlannerMakes() {
    for (int workloads : new int[] {12, 100, 400}) {
      List<Service> services = RandomFleets.published(workloads, 7).services();

      PlanningCost cost = PlanningCost.of(Fleets.v100(10_000), services);

      assertThat(cost.gpus())
          .isEqualTo(IgniterPlanner.IGNITER.plan(Fleets.of(services)).gpus().size());
      assertThat(cost.evaluations()).isPositive().isLessThan(cost.publishedEvaluations());
    }
  }

  /** Ten times as many workloads: about a hundred times the published runs, far fewer here. */
  @Test
  void growsLessThanThePublishedLoop() {
    PlanningCost few =
        PlanningCost.of(Fleets.v100(10_000), RandomFleets.published(100, 3).services());
    PlanningCost many =
        PlanningCost.of(Fleets.v100(10_000), RandomFleets.published(1_000, 3).services());

    assertThat(many.publishedEvaluations()).isGreaterThan(60 * few.publishedEvaluations());
    assertThat(many.evaluations()).isLessThan(40 * few.evaluations());
  }

  @Test
  void runsNothingForASingleWorkload() {
    PlanningCost cost =
        PlanningCost.of(Fleets.v100(1), List.of(Fleets.service("one", "vgg19", 60, 100)));

    assertThat(cost).isEqualTo(new PlanningCost(1, 0, 0));
  }
}
