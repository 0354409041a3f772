package dev.cotenant.placement.glet;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.glet.ElasticPartitioning.Rules;
import dev.cotenant.placement.glet.ElasticPartitioning.Sharing;
import dev.cotenant.placement.glet.ElasticPartitioning.Sizing;

/**
 * Elastic partitioning that does not notice neighbours, "gpulet" [gpu-lets, section 6.1].
 *
 * <p>As {@link GpuLets} with every factor 1: its plans may miss objectives where gpu-lets share a
 * GPU.
 */
public final class GpuLetsWithoutInterference implements ServicePlanner {
  private static final ElasticPartitioning STRATEGY =
      new ElasticPartitioning(new Rules(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, Interference.NONE));

  @Override
  public String name() {
    return "gpulets-nointerference";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return FleetPlanning.plan(name(), fleet, GletUsage.NONE, STRATEGY);
  }
}
