package dev.cotenant.engine.plan;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.search.Best;
import dev.cotenant.placement.search.Settings;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code best}, never worse than any published strategy; of a fleet that some of them would take
 * minutes for, than those whose time hardly grows faster than the fleet.
 */
final class BestOfAll implements ServicePlanner {
  /** gpu-lets' elastic partitioning takes a second or two; its time grows with the square. */
  private static final int MANY = 1000;

  private final ServicePlanner ofFew;
  private final ServicePlanner ofMany;

  /** Compares with these. */
  BestOfAll(List<ServicePlanner> published) {
    ofFew = new Best(Settings.defaults(), published);
    ofMany =
        new Best(
            Settings.defaults(),
            List.of(IgniterPlanner.IGNITER, IgniterPlanner.FFD, IgniterPlanner.FFD_WITH_RAISING));
  }

  @Override
  public String name() {
    return ofFew.name();
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    if (fleet.services().size() <= MANY) {
      return ofFew.plan(fleet);
    }
    FleetPlan plan = ofMany.plan(fleet);
    String note =
        "compared with igniter, ffd+ and ffd++ alone: the fleet has more than "
            + MANY
            + " workloads";
    return new FleetPlan(
        plan.strategy(),
        plan.gpus(),
        plan.unplaced(),
        plan.lowerBoundGpus(),
        Stream.concat(plan.notes().stream(), Stream.of(note)).toList());
  }
}
