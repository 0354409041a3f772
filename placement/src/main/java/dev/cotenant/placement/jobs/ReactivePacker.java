package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.JobLimits;
import dev.cotenant.placement.fleet.JobPacker;
import java.util.List;
import java.util.OptionalInt;

/**
 * Measured first, then packed: the reactive baseline of [UtilPred, section 6].
 *
 * <p>Every job runs alone for a minute, then goes to the first GPU on which the measured
 * utilizations add up to at most 100 %, at most three together.
 *
 * <p>Deviations: a plan has no measurements, so that the estimates stand for them (a measurement
 * would be as good as a perfect estimate); jobs go by name, since a plan knows no arrivals and
 * cannot sort what is measured only later; one GPU of each kind is kept aside for the isolated
 * minutes where there is more than one. As in {@link UtilPredPacker} estimated peak memory must
 * fit.
 */
public final class ReactivePacker implements JobPacker {
  private static final int MAX_JOBS = 3;
  private static final int KEPT = 1;
  private static final String NOTE =
      "one GPU of each kind is kept aside, on which every job runs alone for its first minute";
  private static final Rule RULE =
      new Rule(Rule.BY_NAME, Demand::predicted, MAX_JOBS, Rule.MemoryRoom.ALL, Rule.Fit.FIRST);

  @Override
  public String name() {
    return "reactive";
  }

  @Override
  public JobLimits limits() {
    return new JobLimits(MAX_JOBS, Packing.FULL, JobLimits.Memory.PREDICTED, KEPT);
  }

  @Override
  public FleetPlan pack(Fleet fleet) {
    Packing packing = Packing.of(fleet, RULE, KEPT);
    return new FleetPlan(
        name(), packing.gpus(), packing.unplaced(), OptionalInt.empty(), List.of(NOTE));
  }
}
