package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.JobPacker;
import dev.cotenant.placement.jobs.JobLimits.Memory;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/**
 * A published scheduler of training jobs.
 *
 * @param name on the command line
 * @param rule the distinguishing rule
 * @param notes notes for its plans
 */
public record PublishedPacker(String name, Rule rule, List<String> notes) implements JobPacker {
  /**
   * First fit decreasing on predicted utilization, at most three jobs on a GPU [UtilPred, section
   * 6].
   *
   * <p>The largest estimate comes first and goes to the first GPU in use on which utilizations add
   * up to at most 100 % beside at most two others.
   *
   * <p>Deviations: the paper predicts no memory and resubmits jobs after an out-of-memory failure;
   * a plan cannot resubmit, so that the estimates of peak memory must fit on the GPU together. With
   * several kinds of devices the cheapest kind is opened first, and a job is as large as on the
   * kind on which it is largest.
   *
   * @apiNote the largest predicted utilization first, up to 100 % and three jobs a GPU, estimated
   *     peaks within memory | UtilPred
   */
  public static final PublishedPacker UTILPRED_FFD =
      new PublishedPacker(
          "utilpred-ffd",
          new Rule(Rule.LARGEST_UTILIZATION_FIRST, predicted(3, 0), Rule.Fit.FIRST),
          List.of());

  /**
   * One job on a GPU: the slot-based baseline of [UtilPred, section 6].
   *
   * <p>Jobs go by name, a job that is predicted to need more memory than a GPU has goes nowhere.
   * The paper's baseline queues jobs by arrival, which a plan does not know.
   *
   * @apiNote one job a GPU | UtilPred's baseline
   */
  public static final PublishedPacker SLOT =
      new PublishedPacker(
          "slot", new Rule(Rule.BY_NAME, predicted(1, 0), Rule.Fit.FIRST), List.of());

  /**
   * Measured first, then packed: the reactive baseline of [UtilPred, section 6].
   *
   * <p>Every job runs alone for a minute, then goes to the first GPU on which the measured
   * utilizations add up to at most 100 %, at most three together.
   *
   * <p>Deviations: a plan has no measurements, so that the estimates replace them (a measurement
   * would equal a perfect estimate); jobs go by name, since a plan knows no arrivals and cannot
   * sort by later measurements; one GPU of each kind is reserved for the isolated minutes if there
   * are several. As in {@link #UTILPRED_FFD} estimated peak memory must fit.
   *
   * @apiNote first fit by name, up to 100 % and three jobs; a GPU of each kind is reserved for
   *     profiling | UtilPred's baseline
   */
  public static final PublishedPacker REACTIVE =
      new PublishedPacker(
          "reactive",
          new Rule(Rule.BY_NAME, predicted(3, 1), Rule.Fit.FIRST),
          List.of(
              "one GPU of each kind is reserved, on which every job runs alone for its first"
                  + " minute"));

  /**
   * Trusts what owners ask for: Alibaba's gpushare scheduler extender, the baseline of [ResAware,
   * section 6].
   *
   * <p>A job goes to the GPU with the least memory left on which the requests fit (its binpack
   * policy); utilization is ignored and any number may share. Jobs go by name, since a plan knows
   * no arrivals.
   *
   * @apiNote requested memory only, the tightest GPU | ResAware's baseline
   */
  public static final PublishedPacker GPUSHARE =
      new PublishedPacker(
          "gpushare",
          new Rule(Rule.BY_NAME, requested(Memory.REQUESTED), Rule.Fit.MIN_MEMORY_LEFT),
          List.of());

  /**
   * A queue by requested memory, the largest first [ResAware, section 5].
   *
   * <p>Deviations: of the three stages a plan can only have the first, resource-agnostic one (the
   * request is less than what all grants leave); the other two, CBP and PP, look at series of used
   * memory, which exist when jobs run. Which of several GPUs is taken the paper leaves open: the
   * first.
   *
   * @apiNote requested memory only, the largest request first | ResAware, its first stage
   */
  public static final PublishedPacker RESAWARE =
      new PublishedPacker(
          "resaware",
          new Rule(
              Comparator.comparing(Job::requested).reversed().thenComparing(Rule.BY_NAME),
              requested(Memory.REQUESTED_LESS_THAN_ALL),
              Rule.Fit.FIRST),
          List.of(
              "grants alone: there are no series of used memory yet for the other two stages, CBP"
                  + " and PP"));

  private static JobLimits predicted(int mostJobs, int reserved) {
    return new JobLimits(mostJobs, Memory.PREDICTED, reserved);
  }

  private static JobLimits requested(Memory memory) {
    return new JobLimits(Integer.MAX_VALUE, memory, 0);
  }

  @Override
  public FleetPlan pack(Fleet fleet) {
    Packing packing = Packing.of(fleet, rule);
    return new FleetPlan(name, packing.gpus(), packing.unplaced(), OptionalInt.empty(), notes);
  }
}
