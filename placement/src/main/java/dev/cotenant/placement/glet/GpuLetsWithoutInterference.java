package dev.cotenant.placement.glet;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * Elastic partitioning that does not notice neighbours, "gpulet" [gpu-lets, section 6.1].
 *
 * <p>As {@link GpuLets} with every factor 1: its plans may miss objectives where gpu-lets share a
 * GPU.
 */
public final class GpuLetsWithoutInterference implements ServicePlanner {
  private static final ElasticPartitioning STRATEGY =
      ElasticPartitioning.gpulets(Interference.NONE);

  @Override
  public String name() {
    return "gpulets-nointerference";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return FleetPlanning.plan(name(), fleet, STRATEGY);
  }
}
