package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.JobLimits;
import dev.cotenant.placement.fleet.JobPacker;

/**
 * Trusts what owners ask for: Alibaba's gpushare scheduler extender, the baseline of [ResAware,
 * section 6].
 *
 * <p>A job goes to the GPU with the least memory left on which the requests still add up to at most
 * what it has (its binpack policy); nothing is known of utilization and any number may share. Jobs
 * go by name, since a plan knows no arrivals.
 */
public final class GpuSharePacker implements JobPacker {
  private static final Rule RULE =
      new Rule(
          Rule.BY_NAME,
          Demand::requested,
          Integer.MAX_VALUE,
          Rule.MemoryRoom.ALL,
          Rule.Fit.LEAST_MEMORY_LEFT);

  @Override
  public String name() {
    return "gpushare";
  }

  @Override
  public JobLimits limits() {
    return new JobLimits(Integer.MAX_VALUE, null, JobLimits.Memory.REQUESTED, 0);
  }

  @Override
  public FleetPlan pack(Fleet fleet) {
    Packing packing = Packing.of(fleet, RULE, 0);
    return FleetPlan.of(name(), packing.gpus(), packing.unplaced());
  }
}
