package dev.cotenant.domain.decision;

import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause.BoundsUncertain;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.workload.ExecutionMode;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Within what limits workloads may share a GPU.
 *
 * @param summedUtilization limit of the summed upper bounds of predicted utilization
 * @param memoryHeadroomFraction share of usable memory that stays free, in [0, 1)
 * @param tenants most tenants a GPU may have, the newcomer included; at least 1
 * @param slowdown limit of the predicted slowdown of every tenant
 * @param leastCoverage the least share of cases in which the bounds of a prediction must hold, in
 *     [0, 1]; where they do not, the workload counts as unknown and gets a whole GPU. 0 takes any
 *     bounds, assumed ones too
 * @param risk of being slowed beyond {@code slowdown}
 * @param bounds how often bounds of memory and time may fail
 * @param profileTime for which a training of a configuration that was never measured is alone on
 *     its GPU at first, at most an hour; zero where it may share at once
 */
public record SharingLimits(
    SummedUtilization summedUtilization,
    double memoryHeadroomFraction,
    int tenants,
    Slowdown slowdown,
    Coverage leastCoverage,
    RiskLimit risk,
    BoundRisk bounds,
    Duration profileTime) {
  /** Longest time for which a GPU is closed to others while one workload is measured there. */
  public static final Duration MAX_PROFILE_TIME = Duration.ofHours(1);

  /**
   * 100 % utilization, 5 % memory headroom, three tenants [UtilPred, section 6], 1.15 slowdown,
   * bounds that hold in 90 % of cases, the default risk.
   */
  public static final SharingLimits DEFAULT =
      new SharingLimits(
          SummedUtilization.ofPercent(100),
          0.05,
          3,
          Slowdown.ofRatio(1.15),
          Coverage.of(0.9),
          RiskLimit.DEFAULT);

  public SharingLimits {
    if (!(memoryHeadroomFraction >= 0 && memoryHeadroomFraction < 1)) {
      throw new IllegalArgumentException(
          "memoryHeadroomFraction must be in [0, 1), is " + memoryHeadroomFraction);
    }
    if (tenants < 1) {
      throw new IllegalArgumentException("tenants must be at least 1, is " + tenants);
    }
    if (profileTime.isNegative() || profileTime.compareTo(MAX_PROFILE_TIME) > 0) {
      throw new IllegalArgumentException(
          "profileTime must be in [0 s, 3600 s], is " + profileTime.toSeconds() + " s");
    }
  }

  /** Where nothing is profiled, and bounds hold at one level. */
  public SharingLimits(
      SummedUtilization summedUtilization,
      double memoryHeadroomFraction,
      int tenants,
      Slowdown slowdown,
      Coverage leastCoverage,
      RiskLimit risk) {
    this(
        summedUtilization,
        memoryHeadroomFraction,
        tenants,
        slowdown,
        leastCoverage,
        risk,
        BoundRisk.NONE,
        Duration.ZERO);
  }

  public SharingLimits withSummedUtilization(SummedUtilization other) {
    return new SharingLimits(
        other, memoryHeadroomFraction, tenants, slowdown, leastCoverage, risk, bounds, profileTime);
  }

  public SharingLimits withMemoryHeadroom(double fraction) {
    return new SharingLimits(
        summedUtilization, fraction, tenants, slowdown, leastCoverage, risk, bounds, profileTime);
  }

  public SharingLimits withTenants(int most) {
    return new SharingLimits(
        summedUtilization,
        memoryHeadroomFraction,
        most,
        slowdown,
        leastCoverage,
        risk,
        bounds,
        profileTime);
  }

  public SharingLimits withSlowdown(Slowdown other) {
    return new SharingLimits(
        summedUtilization,
        memoryHeadroomFraction,
        tenants,
        other,
        leastCoverage,
        risk,
        bounds,
        profileTime);
  }

  public SharingLimits withLeastCoverage(Coverage other) {
    return new SharingLimits(
        summedUtilization,
        memoryHeadroomFraction,
        tenants,
        slowdown,
        other,
        risk,
        bounds,
        profileTime);
  }

  public SharingLimits withRisk(RiskLimit other) {
    return new SharingLimits(
        summedUtilization,
        memoryHeadroomFraction,
        tenants,
        slowdown,
        leastCoverage,
        other,
        bounds,
        profileTime);
  }

  /** Copy with different budgets of bounds. */
  public SharingLimits withBounds(BoundRisk other) {
    return new SharingLimits(
        summedUtilization,
        memoryHeadroomFraction,
        tenants,
        slowdown,
        leastCoverage,
        risk,
        other,
        profileTime);
  }

  /** Copy with a different profile time. */
  public SharingLimits withProfileTime(Duration other) {
    return new SharingLimits(
        summedUtilization,
        memoryHeadroomFraction,
        tenants,
        slowdown,
        leastCoverage,
        risk,
        bounds,
        other);
  }

  /**
   * Whether a workload is to be measured alone before it shares. Rows are of graphs, so that
   * fine-tunings of language models are not.
   */
  public boolean profiles(Prediction prediction) {
    return profileTime.isPositive()
        && prediction.settings().mode() == ExecutionMode.TRAINING
        && prediction.engine() == null
        && !prediction.isUtilizationMeasured();
  }

  /** Copy with a slowdown limit of at most this one. */
  public SharingLimits withSlowdownAtMost(Slowdown other) {
    return other.compareTo(slowdown) < 0 ? withSlowdown(other) : this;
  }

  /** The level at which predictions are requested; limits that accept any bounds take 90 %. */
  public Coverage level() {
    return leastCoverage.fraction() == 0 ? Coverage.STANDARD : leastCoverage;
  }

  /**
   * The level at which the bound of a workload's memory is requested. With a budget, each of the
   * maximum number of tenants takes an equal part of it: by the union bound, their sum exceeds the
   * bounds no more often than the budget allows.
   */
  public Coverage memoryLevel() {
    return bounds.bindsMemory() ? atLeast(1 - bounds.memory() / tenants) : level();
  }

  /** The level at which times of a service with a latency objective are requested. */
  public Coverage objectiveLevel() {
    return bounds.bindsObjective() ? atLeast(1 - bounds.objective()) : level();
  }

  private Coverage atLeast(double fraction) {
    Coverage own = Coverage.of(fraction);
    return own.compareTo(level()) < 0 ? level() : own;
  }

  /** Whether the bounds of a prediction hold often enough to share by them. */
  public boolean trust(Prediction prediction) {
    return whyUncertain(prediction).isEmpty();
  }

  /** Which bounds of a prediction hold too rarely to share by them; empty where all hold. */
  public Optional<BoundsUncertain> whyUncertain(Prediction prediction) {
    return Stream.of(
            leastCoverage.fraction() == 0
                ? Optional.<BoundsUncertain>empty()
                : below(prediction.coverage().orElse(null), leastCoverage),
            bounds.bindsMemory()
                ? below(prediction.peakMemory().coverage(), memoryLevel())
                : Optional.<BoundsUncertain>empty(),
            bounds.bindsObjective() && prediction.service() != null
                ? below(
                    prediction.stepTimeIfKnown().map(StepTimeEstimate::coverage).orElse(null),
                    objectiveLevel())
                : Optional.<BoundsUncertain>empty())
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<BoundsUncertain> below(@Nullable Coverage coverage, Coverage least) {
    return coverage != null && coverage.compareTo(least) >= 0
        ? Optional.empty()
        : Optional.of(new BoundsUncertain(coverage, least));
  }
}
