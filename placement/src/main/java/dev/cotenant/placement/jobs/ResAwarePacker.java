package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.JobLimits;
import dev.cotenant.placement.fleet.JobPacker;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/**
 * A queue by requested memory, the largest first [ResAware, section 5].
 *
 * <p>Deviations: of the three stages a plan can only have the first, resource-agnostic one (the
 * request is less than what all grants leave); the other two, CBP and PP, look at series of used
 * memory, which exist when jobs run. Which of several GPUs is taken the paper leaves open: the
 * first.
 */
public final class ResAwarePacker implements JobPacker {
  private static final int KEPT = 0;
  private static final String NOTE =
      "grants alone: there are no series of used memory yet for the other two stages, CBP and PP";
  private static final Comparator<Job> LARGEST_REQUEST_FIRST =
      Comparator.comparing(Job::requested).reversed().thenComparing(Rule.BY_NAME);
  private static final Rule RULE =
      new Rule(
          LARGEST_REQUEST_FIRST,
          Demand::requested,
          Integer.MAX_VALUE,
          Rule.MemoryRoom.LESS_THAN_ALL,
          Rule.Fit.FIRST);

  @Override
  public String name() {
    return "resaware";
  }

  @Override
  public JobLimits limits() {
    return new JobLimits(Integer.MAX_VALUE, null, JobLimits.Memory.REQUESTED_LESS_THAN_ALL, KEPT);
  }

  @Override
  public FleetPlan pack(Fleet fleet) {
    Packing packing = Packing.of(fleet, RULE, KEPT);
    return new FleetPlan(
        name(), packing.gpus(), packing.unplaced(), OptionalInt.empty(), List.of(NOTE));
  }
}
