package dev.cotenant.lab.inss;

import dev.cotenant.lab.requests.Observation;
import dev.cotenant.lab.requests.Replanning.Targets;
import dev.cotenant.lab.requests.ServingPolicy;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.search.WarmStart;
import dev.cotenant.placement.search.WarmStart.Limits;
import dev.cotenant.placement.search.WarmStart.Revision;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** {@code best}'s model started from the plan that runs, with a price on every move. */
final class WarmPlans implements ServingPolicy {
  /** As the product's control loop: ten moves in a period, five for a GPU. */
  private static final Limits LIMITS = new Limits(10, true, 0.2);

  private final WarmStart planner = new WarmStart();
  private final Function<Map<String, Double>, Fleet> fleets;
  private final Targets targets;

  /**
   * @param fleets with services at rates
   * @param targets what is planned for
   */
  WarmPlans(Function<Map<String, Double>, Fleet> fleets, Targets targets) {
    this.fleets = fleets;
    this.targets = targets;
  }

  @Override
  public FleetPlan plan(Observation seen) {
    Fleet fleet = fleets.apply(targets.of(seen.rates()));
    Revision revision = planner.revise(fleet, seen.current().gpus(), LIMITS);
    return FleetPlan.of(
        "warm",
        revision.gpus().stream().filter(gpu -> !gpu.partitions().isEmpty()).toList(),
        List.of());
  }
}
