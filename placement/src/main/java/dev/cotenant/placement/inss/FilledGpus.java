package dev.cotenant.placement.inss;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * Replaces the learned placement of InSS: uses every GPU of the fleet with no share left, so that
 * throughput is close to its maximum [InSS, problem 1]. Batches are BDA's.
 */
public final class FilledGpus implements ServicePlanner {
  private final InssPlanner bda = new InssPlanner();

  @Override
  public String name() {
    return "inss-bda-filled";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return bda.plan(Filling.byLoad(fleet).placed());
  }
}
