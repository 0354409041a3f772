package dev.cotenant.placement.glet;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * Squishy bin packing, Nexus' scheduler and the baseline of gpu-lets: whole GPUs, shared in time
 * only [Nexus, section 6.1; gpu-lets, sections 2.2 and 6.1].
 *
 * <p>A service fills whole GPUs with the largest batch of which two fit into its objective; what is
 * left of its rate runs in duty cycles, the largest part of a GPU first, together with others where
 * the shorter cycle still suits all. Deviations: a service that arrives too seldom to fill any
 * batch in time is given the cycle that its objective leaves, where Nexus' text gives none; batches
 * are at most 32; a GPU takes no more services than its memory holds; a service of which not all
 * has a GPU is left out, and at the end tried once more. Ties are broken by name.
 */
public final class SquishyBinPacking implements ServicePlanner {
  @Override
  public String name() {
    return "sbp";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return FleetPlanning.plan(name(), fleet, new DutyCycles());
  }
}
