package dev.cotenant.simulator.pairs;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Who decides without a prediction, and who knows what will be measured. */
final class Baselines {
  private Baselines() {}

  /** Every pod has a GPU of its own. */
  record Exclusive() implements PairPolicy {
    @Override
    public String name() {
      return "exclusive";
    }

    @Override
    public void place(ReplayedJob job, PairCluster cluster) {
      cluster.open(job);
    }
  }

  /** Any two may share; the first candidate is taken. */
  record TwoTenants() implements PairPolicy {
    @Override
    public String name() {
      return "tenants-2";
    }

    @Override
    public void place(ReplayedJob job, PairCluster cluster) {
      cluster.candidates(job).stream()
          .findFirst()
          .ifPresentOrElse(gpu -> cluster.join(gpu, job), () -> cluster.open(job));
    }
  }

  /**
   * Trusts requests: the candidate with the least memory left on which they add up to what it has.
   *
   * @param overProvisionedPercent by how much owners ask for more than the job uses
   * @param capacity of a GPU, the most that a pod requests
   */
  record GpuShare(int overProvisionedPercent, MemorySize capacity) implements PairPolicy {
    private static final double PERCENT = 100;

    @Override
    public String name() {
      return "gpushare+" + overProvisionedPercent + "%";
    }

    @Override
    public void place(ReplayedJob job, PairCluster cluster) {
      cluster.candidates(job).stream()
          .filter(gpu -> request(gpu.first()).plus(request(job)).isAtMost(capacity))
          .max(
              Comparator.comparing((PairCluster.Gpu gpu) -> request(gpu.first()))
                  .thenComparing(PairCluster.Gpu::uuid, Comparator.reverseOrder()))
          .ifPresentOrElse(gpu -> cluster.join(gpu, job), () -> cluster.open(job));
    }

    private MemorySize request(ReplayedJob job) {
      return job.expectedMemory().times(1 + overProvisionedPercent / PERCENT).min(capacity);
    }
  }

  /**
   * Knows every measurement, not who will come: of the candidates within both limits the one beside
   * which the fewest others would be.
   */
  record Oracle(MeasuredPairs truth, double slowdownLimit, MemorySize capacity)
      implements PairPolicy {
    @Override
    public String name() {
      return "oracle";
    }

    @Override
    public void place(ReplayedJob job, PairCluster cluster) {
      List<PairCluster.Gpu> good =
          cluster.candidates(job).stream().filter(gpu -> holds(gpu.first(), job)).toList();
      Optional<PairCluster.Gpu> best =
          good.stream()
              .min(
                  Comparator.comparingInt(
                          (PairCluster.Gpu gpu) -> truth.partners(gpu.first(), slowdownLimit))
                      .thenComparing(PairCluster.Gpu::uuid));
      best.ifPresentOrElse(gpu -> cluster.join(gpu, job), () -> cluster.open(job));
    }

    private boolean holds(ReplayedJob first, ReplayedJob second) {
      OptionalDouble worst = truth.worstSlowdown(first, second);
      MemorySize one = first.memory();
      MemorySize two = second.memory();
      return worst.isPresent()
          && worst.getAsDouble() <= slowdownLimit
          && (one == null || two == null || one.plus(two).isAtMost(capacity));
    }
  }
}
