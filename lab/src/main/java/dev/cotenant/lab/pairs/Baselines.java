package dev.cotenant.lab.pairs;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.Comparator;
import java.util.OptionalDouble;
import java.util.function.Function;

/** Policies without a prediction, and the oracle, which knows all measurements. */
final class Baselines {
  static final String ORACLE = "oracle";

  private Baselines() {}

  /** Every pod has a GPU of its own. */
  static PairPolicy exclusive() {
    return new PairPolicy("exclusive", (job, cluster) -> cluster.open(job));
  }

  /** Any two may share; the first candidate is taken. */
  static PairPolicy twoTenants() {
    return new PairPolicy(
        "tenants-2",
        (job, cluster) -> cluster.joinOrOpen(cluster.candidates(job).stream().findFirst(), job));
  }

  /**
   * Trusts requests: the fullest candidate on which the requests fit.
   *
   * @param overPercent by how much owners ask for more than the job uses
   * @param capacity of a GPU, the most that a pod requests
   */
  static PairPolicy gpuShare(int overPercent, MemorySize capacity) {
    Function<ReplayedJob, MemorySize> request =
        job -> job.expectedMemory().times(1 + overPercent / 100.0).min(capacity);
    Function<PairCluster.Gpu, MemorySize> granted = gpu -> request.apply(gpu.first());
    return new PairPolicy(
        "gpushare+" + overPercent + "%",
        (job, cluster) ->
            cluster.joinOrOpen(
                cluster.candidates(job).stream()
                    .filter(gpu -> granted.apply(gpu).plus(request.apply(job)).isAtMost(capacity))
                    .max(
                        Comparator.comparing(granted)
                            .thenComparing(PairCluster.Gpu::uuid, Comparator.reverseOrder())),
                job));
  }

  /**
   * Knows all measurements, but not future pods: of the candidates within both limits, the job that
   * suits the fewest other jobs.
   */
  static PairPolicy oracle(MeasuredPairs truth, double slowdownLimit, MemorySize capacity) {
    return new PairPolicy(
        ORACLE,
        (job, cluster) ->
            cluster.joinOrOpen(
                cluster.candidates(job).stream()
                    .filter(gpu -> isSlowedWithin(slowdownLimit, truth, gpu.first(), job))
                    .filter(gpu -> fit(capacity, gpu.first(), job))
                    .min(
                        Comparator.comparingInt(
                                (PairCluster.Gpu gpu) -> truth.partners(gpu.first(), slowdownLimit))
                            .thenComparing(PairCluster.Gpu::uuid)),
                job));
  }

  private static boolean isSlowedWithin(
      double limit, MeasuredPairs truth, ReplayedJob first, ReplayedJob second) {
    OptionalDouble worst = truth.worstSlowdown(first, second);
    return worst.isPresent() && worst.getAsDouble() <= limit;
  }

  private static boolean fit(MemorySize capacity, ReplayedJob first, ReplayedJob second) {
    MemorySize one = first.memory();
    MemorySize two = second.memory();
    return one == null || two == null || one.plus(two).isAtMost(capacity);
  }
}
