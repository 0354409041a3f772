package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.JobLimits;
import dev.cotenant.placement.fleet.JobPacker;

/**
 * One job on a GPU: the slot-based baseline of [UtilPred, section 6].
 *
 * <p>Jobs go by name, a job that is predicted to need more memory than a GPU has goes nowhere. The
 * paper's baseline queues jobs by arrival, which a plan does not know.
 */
public final class SlotPacker implements JobPacker {
  private static final Rule RULE =
      new Rule(Rule.BY_NAME, Demand::predicted, 1, Rule.MemoryRoom.ALL, Rule.Fit.FIRST);

  @Override
  public String name() {
    return "slot";
  }

  @Override
  public JobLimits limits() {
    return new JobLimits(1, Packing.FULL, JobLimits.Memory.PREDICTED, 0);
  }

  @Override
  public FleetPlan pack(Fleet fleet) {
    Packing packing = Packing.of(fleet, RULE, 0);
    return FleetPlan.of(name(), packing.gpus(), packing.unplaced());
  }
}
