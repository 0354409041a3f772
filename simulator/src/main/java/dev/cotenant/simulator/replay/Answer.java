package dev.cotenant.simulator.replay;

import dev.cotenant.simulator.replay.PolicyOutcome.Range;
import java.util.Locale;

/**
 * A report in two sentences: what the product's own policy, else the last one, saves and whom it
 * harms.
 *
 * @param price of a GPU hour; 0: no money
 */
record Answer(ReplayReport report, double price) {
  private static final String PRODUCT = "decide";
  private static final double HOUR = 3_600;
  private static final double MINUTE = 60;

  String sentences() {
    PolicyOutcome outcome =
        report.outcomes().stream()
            .filter(one -> one.policy().equals(PRODUCT))
            .findFirst()
            .orElse(report.outcomes().getLast());
    return savings(outcome, report.outcomes().getFirst())
        + " "
        + harm(outcome, report.outcomes().getFirst());
  }

  private String savings(PolicyOutcome outcome, PolicyOutcome baseline) {
    double saved = report.saved(outcome).mean();
    String money =
        price == 0
            ? ""
            : String.format(
                Locale.ROOT, ", %,.2f at %,.2f an hour", Math.abs(saved) * price, price);
    return String.format(
        Locale.ROOT,
        "%s %s %,.0f GPU hours (%.1f %%%s) and needs at most %s GPUs instead of %s.",
        outcome.policy(),
        saved < 0 ? "costs" : "saves",
        Math.abs(saved),
        100 * Math.abs(saved) / report.baselineGpuHours(),
        money,
        range(outcome.gpusNeeded()),
        range(baseline.gpusNeeded()));
  }

  private String harm(PolicyOutcome outcome, PolicyOutcome baseline) {
    return String.format(
        Locale.ROOT,
        "Of %,d jobs %s run more than %.0f %% longer and %s out of memory; in the recorded fleet"
            + " %,d wait for more than a minute (%,d under %s), the longest for %s.",
        report.recorded().jobs(),
        range(outcome.harm().slowed()),
        100 * (Slowdowns.HARM_RATIO - 1),
        range(outcome.harm().outOfMemory()),
        outcome.waits().jobs(),
        baseline.waits().jobs(),
        baseline.policy(),
        duration(outcome.waits().longestSeconds()));
  }

  private static String range(Range range) {
    String mean = String.format(Locale.ROOT, "%,.0f", range.mean());
    return range.lowest() == range.highest()
        ? mean
        : String.format(Locale.ROOT, "%s (%,.0f to %,.0f)", mean, range.lowest(), range.highest());
  }

  private static String duration(double seconds) {
    if (seconds >= 2 * HOUR) {
      return String.format(Locale.ROOT, "%.1f h", seconds / HOUR);
    }
    return seconds >= 2 * MINUTE
        ? String.format(Locale.ROOT, "%.0f min", seconds / MINUTE)
        : String.format(Locale.ROOT, "%.0f s", seconds);
  }
}
