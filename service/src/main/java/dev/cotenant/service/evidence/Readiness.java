package dev.cotenant.service.evidence;

import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.service.evidence.EvidenceCounts.Known;

/**
 * Whether the bounds of predictions may be relied on in a namespace.
 *
 * @param isReady whether they may; judged in every mode
 * @param isInForce whether the mode acts on them already
 * @param because the numbers that say so
 */
public record Readiness(boolean isReady, boolean isInForce, String because) {
  /** Minimum number of measured runs; fewer cannot contradict even a level that is far off. */
  static final int MIN_RUNS = 20;

  /** A level is contradicted where so few held bounds were less likely than this. */
  private static final double SIGNIFICANCE = 0.05;

  static Readiness of(Known known, Policy.Mode mode) {
    boolean isInForce = mode == Policy.Mode.ENFORCE || mode == Policy.Mode.IMMEDIATE;
    Target judged = judged(known);
    return new Readiness(judged.holds, isInForce, judged.because);
  }

  /** What the runs say. */
  private record Target(boolean holds, String because) {}

  private static Target judged(Known known) {
    Target utilization =
        of(
            "utilization",
            known.count(Observed.UTILIZATION_CHECKED),
            known.count(Observed.UTILIZATION_HELD));
    Target memory =
        of("memory", known.count(Observed.MEMORY_CHECKED), known.count(Observed.MEMORY_HELD));
    if (!utilization.holds || !memory.holds) {
      return utilization.holds ? memory : utilization;
    }
    return new Target(true, utilization.because + "; " + memory.because);
  }

  private static Target of(String target, long checked, long held) {
    if (checked < MIN_RUNS) {
      return new Target(
          false,
          "the "
              + target
              + " of "
              + checked
              + (checked == 1 ? " run" : " runs")
              + " was measured, at least "
              + MIN_RUNS
              + " are needed");
    }
    boolean isContradicted = atMost(held, checked, Coverage.STANDARD.fraction()) < SIGNIFICANCE;
    return new Target(
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
