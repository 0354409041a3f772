package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.JobLimits;
import dev.cotenant.placement.fleet.JobPacker;
import java.util.Comparator;

/**
 * First fit decreasing on predicted utilization, at most three jobs on a GPU [UtilPred, section 6].
 *
 * <p>The largest estimate comes first and goes to the first GPU in use on which utilizations add up
 * to at most 100 % beside at most two others.
 *
 * <p>Deviations: the paper predicts no memory and submits a job again that ran out of it; a plan
 * has nothing to submit again, so that the estimates of peak memory must add up to what the GPU
 * has. With several kinds of devices the cheapest kind is opened first, and a job is as large as on
 * the kind on which it is largest.
 */
public final class UtilPredPacker implements JobPacker {
  private static final int MAX_JOBS = 3;
  private static final Comparator<Job> LARGEST_FIRST =
      Comparator.comparingDouble(UtilPredPacker::largest).reversed().thenComparing(Rule.BY_NAME);
  private static final Rule RULE =
      new Rule(LARGEST_FIRST, Demand::predicted, MAX_JOBS, Rule.MemoryRoom.ALL, Rule.Fit.FIRST);

  private static double largest(Job job) {
    return job.outlooks().values().stream()
        .mapToDouble(outlook -> outlook.utilization().percent())
        .max()
        .orElse(0);
  }

  @Override
  public String name() {
    return "utilpred-ffd";
  }

  @Override
  public JobLimits limits() {
    return new JobLimits(MAX_JOBS, Packing.FULL, JobLimits.Memory.PREDICTED, 0);
  }

  @Override
  public FleetPlan pack(Fleet fleet) {
    Packing packing = Packing.of(fleet, RULE, 0);
    return FleetPlan.of(name(), packing.gpus(), packing.unplaced());
  }
}
