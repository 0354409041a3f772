package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.between;

import dev.cotenant.domain.decision.BoundRisk;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Limits of sharing a GPU; absent keys inherit from the enclosing policy. */
public interface LimitsConfiguration {
  /** CUDA MPS serves 48 clients on one GPU. */
  int MAX_TENANTS = 48;

  /** Below all of it. */
  double MAX_HEADROOM = Math.nextDown(100.0);

  /**
   * Summed upper bounds of predicted utilization.
   *
   * @apiNote `100` | 0 to 1000 | limit of the summed upper bounds of predicted utilization on a
   *     GPU; of the shares, at most 100, where all tenants are profiled services in partitions
   */
  OptionalDouble utilizationPercent();

  /**
   * Share of the usable memory that stays free.
   *
   * @apiNote `5` | 0 to below 100 | share of a GPU's usable memory that stays free
   */
  OptionalDouble memoryHeadroomPercent();

  /**
   * Workloads on one GPU.
   *
   * @apiNote `3` | a whole number, 1 to 48 | maximum number of workloads on one GPU
   */
  OptionalInt tenants();

  /**
   * Predicted slowdown of any workload.
   *
   * @apiNote `1.15` | 1 to 100 | largest predicted slowdown of any workload; ratio of colocated to
   *     solo time
   */
  OptionalDouble slowdown();

  /**
   * Minimum coverage of the bounds of a prediction.
   *
   * @apiNote `90` | 0 to 100 | level at which predictions are requested and their bounds must hold;
   *     where the calibration rows do not support it the workload counts as unknown on that device
   *     and gets a whole GPU. `0` takes any bounds, assumed ones too
   */
  OptionalDouble coveragePercent();

  /**
   * Probability that a workload takes to be slowed beyond its limit.
   *
   * @apiNote `10` | 0 to 100 | largest probability that a workload is slowed beyond `slowdown`,
   *     from measured speeds of pairs ([risk of slowdown](life-cycle.md#risk-of-slowdown)); pods
   *     state a smaller one with `cotenant.dev/risk-budget-percent`
   */
  OptionalDouble riskBudgetPercent();

  /**
   * When that budget binds.
   *
   * @apiNote `learned` | `off`, `learned`, `always` | when that budget binds: never, among
   *     workloads with measured colocated speeds, or always; a pod's own budget binds always, with
   *     `off` too
   */
  Optional<RiskLimit.Rule> riskRule();

  /**
   * Share of the tenants that may have come in a trial.
   *
   * @apiNote `0` | 0 to 100 | largest share of the tenants of a namespace on shared GPUs that were
   *     admitted in a [trial](life-cycle.md#trials) beyond that budget; 0 for none
   */
  OptionalDouble trialPercent();

  /**
   * Largest probability of a larger slowdown in a trial.
   *
   * @apiNote `35` | 0 to 100 | largest probability that a workload is slowed beyond `slowdown` in a
   *     trial; pods that state `cotenant.dev/risk-budget-percent` or `cotenant.dev/max-slowdown:
   *     "1.00"` are excluded from trials
   */
  OptionalDouble trialRiskPercent();

  /**
   * Probability that a GPU runs out of memory.
   *
   * @apiNote `100` | 0 to 100 | largest probability that the tenants of a GPU need more memory than
   *     it has while they stay ([budgets of memory and
   *     objectives](life-cycle.md#budgets-of-memory-and-objectives)); 100 for none
   */
  OptionalDouble memoryRiskPercent();

  /**
   * Probability that a service misses its latency objective.
   *
   * @apiNote `100` | 0 to 100 | largest probability that a service misses the `slo-latency` that
   *     its decision expects it to keep; 100 for none
   */
  OptionalDouble objectiveRiskPercent();

  /**
   * The limits of a key, checked.
   *
   * @param base supplies the absent ones
   */
  static SharingLimits read(String key, LimitsConfiguration limits, SharingLimits base) {
    return new SharingLimits(
        between(key + ".utilization-percent", limits.utilizationPercent(), 0, 1_000)
            .map(SummedUtilization::ofPercent)
            .orElse(base.summedUtilization()),
        between(key + ".memory-headroom-percent", limits.memoryHeadroomPercent(), 0, MAX_HEADROOM)
            .map(percent -> percent / 100)
            .orElse(base.memoryHeadroomFraction()),
        between(key + ".tenants", limits.tenants(), 1, MAX_TENANTS).orElse(base.tenants()),
        between(key + ".slowdown", limits.slowdown(), 1, 100)
            .map(Slowdown::ofRatio)
            .orElse(base.slowdown()),
        between(key + ".coverage-percent", limits.coveragePercent(), 0, 100)
            .map(percent -> Coverage.of(percent / 100))
            .orElse(base.leastCoverage()),
        new RiskLimit(
            share(key + ".risk-budget-percent", limits.riskBudgetPercent(), base.risk().budget()),
            limits.riskRule().orElse(base.risk().rule()),
            new RiskLimit.Exploration(
                share(
                    key + ".trial-percent",
                    limits.trialPercent(),
                    base.risk().exploration().share()),
                share(
                    key + ".trial-risk-percent",
                    limits.trialRiskPercent(),
                    base.risk().exploration().mostRisk()))),
        new BoundRisk(
            share(key + ".memory-risk-percent", limits.memoryRiskPercent(), base.bounds().memory()),
            share(
                key + ".objective-risk-percent",
                limits.objectiveRiskPercent(),
                base.bounds().objective())),
        base.profileTime());
  }

  private static double share(String key, OptionalDouble percent, double base) {
    return between(key, percent, 0, 100).map(value -> value / 100).orElse(base);
  }
}
