package dev.cotenant.service.evidence;

import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.service.evidence.EvidenceCounts.Known;
import java.util.Locale;

/**
 * Whether the bounds of predictions may be relied on in a namespace.
 *
 * @param isReady whether they may
 * @param because the numbers that say so
 */
public record Readiness(boolean isReady, String because) {
  /** Runs that have to be measured; fewer do not contradict even a level that is far off. */
  static final int LEAST_RUNS = 20;

  /** A level is contradicted where so few held bounds were less likely than this. */
  private static final double SIGNIFICANCE = 0.05;

  static Readiness of(Known known, Policy.Mode mode) {
    if (mode == Policy.Mode.ENFORCE || mode == Policy.Mode.IMMEDIATE) {
      return new Readiness(true, "mode " + mode.name().toLowerCase(Locale.ROOT) + " is in force");
    }
    Readiness utilization =
        of(
            "utilization",
            known.count(Observed.UTILIZATION_CHECKED),
            known.count(Observed.UTILIZATION_HELD));
    Readiness memory =
        of("memory", known.count(Observed.MEMORY_CHECKED), known.count(Observed.MEMORY_HELD));
    if (!utilization.isReady || !memory.isReady) {
      return utilization.isReady ? memory : utilization;
    }
    return new Readiness(true, utilization.because + "; " + memory.because);
  }

  private static Readiness of(String target, long checked, long held) {
    if (checked < LEAST_RUNS) {
      return new Readiness(
          false,
          "the "
              + target
              + " of "
              + checked
              + " runs was measured, at least "
              + LEAST_RUNS
              + " are needed");
    }
    boolean isContradicted = atMost(held, checked, Coverage.STANDARD.fraction()) < SIGNIFICANCE;
    return new Readiness(
        !isContradicted,
        held
            + " of "
            + checked
            + " bounds of "
            + target
            + " held, stated in "
            + Math.round(Coverage.STANDARD.fraction() * 100)
            + " % of cases");
  }

  /**
   * Probability that at most {@code held} of {@code all} hold where each does with a probability.
   */
  private static double atMost(long held, long all, double probability) {
    double sum = 0;
    double logTerm = all * Math.log1p(-probability);
    for (long i = 0; i <= held; i++) {
      sum += Math.exp(logTerm);
      logTerm += Math.log((double) (all - i) / (i + 1)) + Math.log(probability / (1 - probability));
    }
    return Math.min(1, sum);
  }
}
