package dev.cotenant.lab.risk;

import dev.cotenant.lab.risk.HeldOutRisks.Risks;
import java.util.List;
import java.util.Optional;
import java.util.function.IntBinaryOperator;

/** Rules without learning on a stream of jobs: packing and harm of each. */
public final class StaticCurves {
  private static final int JOBS = 300;
  private final PairTable table;
  private final double limit;

  /**
   * @param limit of the slowdown
   */
  public StaticCurves(PairTable table, double limit) {
    this.table = table;
    this.limit = limit;
  }

  /**
   * What a rule did.
   *
   * @param jobsPerGpu over all jobs
   * @param harmedPercent of jobs on a GPU on which one is slowed beyond the limit
   * @param brokenShare of the shared GPUs, on which a job is slowed beyond the limit
   * @param sharedGpus how many
   */
  public record Outcome(
      double jobsPerGpu, double harmedPercent, double brokenShare, double sharedGpus) {
    static Outcome of(PairStream.Totals totals) {
      return new Outcome(
          totals.jobsPerGpu(), totals.harmedPercent(), totals.brokenShare(), totals.shared());
    }
  }

  /**
   * Fullest first among the jobs beside which both risks are within a budget.
   *
   * @param newcomer risks of the job that comes
   * @param tenant risks of the job that runs
   */
  public Outcome risk(Risks newcomer, Risks tenant, double budget, long seed) {
    return run(
        seed,
        (job, other) ->
            newcomer.of(job, other) <= budget && tenant.of(other, job) <= budget
                ? fullness(other)
                : -1);
  }

  /** Fullest first among the jobs with which utilizations add up to a limit at most. */
  public Outcome utilizationSum(double mostPercent, long seed) {
    return run(
        seed,
        (job, other) ->
            100 * (table.utilization(job) + table.utilization(other)) <= mostPercent
                ? fullness(other)
                : -1);
  }

  /** Any two whose memory fits, least memory left first. */
  public Outcome gpuShare(long seed) {
    return run(seed, (_, other) -> (int) (table.memory(other).bytes() >> 20));
  }

  /** Knows every measurement: the candidate with the fewest other partners. */
  public Outcome oracle(long seed) {
    FewestPartners oracle = new FewestPartners(table, limit);
    return run(seed, oracle::rank);
  }

  private int fullness(int job) {
    return (int) Math.round(1e6 * table.utilization(job));
  }

  /** By the largest rank; a pair of negative rank does not share. */
  private Outcome run(long seed, IntBinaryOperator rank) {
    PairStream stream = new PairStream(table, limit);
    PairStream.Rule rule = (job, candidates) -> best(job, candidates, rank);
    for (int job : PairStream.uniform(JOBS, table.jobs().size(), seed)) {
      stream.place(job, rule);
    }
    return Outcome.of(stream.totals());
  }

  static Optional<Integer> best(int job, List<Integer> candidates, IntBinaryOperator rank) {
    int best = -1;
    int most = -1;
    for (int i = 0; i < candidates.size(); i++) {
      int of = rank.applyAsInt(job, candidates.get(i));
      if (of > most) {
        most = of;
        best = i;
      }
    }
    return best < 0 ? Optional.empty() : Optional.of(best);
  }
}
