package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.between;

import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Limits of sharing a GPU; an absent one is that of the enclosing policy. */
public interface LimitsConfiguration {
  /** CUDA MPS serves 48 clients on one GPU. */
  int MAX_TENANTS = 48;

  /** Below all of it. */
  double MAX_HEADROOM = Math.nextDown(100.0);

  /** Summed upper bounds of predicted utilization. */
  OptionalDouble utilizationPercent();

  /** Share of the usable memory that stays free. */
  OptionalDouble memoryHeadroomPercent();

  /** Workloads on one GPU. */
  OptionalInt tenants();

  /** Predicted slowdown of any workload. */
  OptionalDouble slowdown();

  /** Minimum coverage of the bounds of a prediction. */
  OptionalDouble coveragePercent();

  /** Probability that a workload takes to be slowed beyond its limit. */
  OptionalDouble riskBudgetPercent();

  /** When that budget binds. */
  Optional<RiskLimit.Rule> riskRule();

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
            between(key + ".risk-budget-percent", limits.riskBudgetPercent(), 0, 100)
                .map(percent -> percent / 100)
                .orElse(base.risk().budget()),
            limits.riskRule().orElse(base.risk().rule())));
  }
}
