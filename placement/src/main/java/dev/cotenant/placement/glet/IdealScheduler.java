package dev.cotenant.placement.glet;

import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * The ideal scheduler [gpu-lets, section 6.2]: every way to split GPUs into gpu-lets and to assign
 * services to them, with interference, on the fewest GPUs; of services that do not all fit, the
 * most.
 *
 * <p>For at most six services and four GPUs of a kind in use; beyond, {@link #plan} throws an input
 * error. In a gpu-let a service takes all that is left of its rate, or as much as goes in beside
 * those that are there: other divisions of a rate are not tried, which the paper does not define.
 * What the other strategies find is tried first, so that none of them is ever better.
 */
public final class IdealScheduler implements ServicePlanner {
  private static final ExhaustiveSearch SEARCH =
      new ExhaustiveSearch(Interference.linear(UtilizationFactor.RTX_2080_TI));

  @Override
  public String name() {
    return "ideal";
  }

  /**
   * {@inheritDoc}
   *
   * @throws dev.cotenant.domain.InputException ({@code ideal-too-large}) with more services, or
   *     where more GPUs would be needed
   */
  @Override
  public FleetPlan plan(Fleet fleet) {
    return FleetPlanning.plan(name(), fleet, SEARCH);
  }
}
