package dev.cotenant.simulator.replay;

import dev.cotenant.simulator.replay.PolicyOutcome.Range;
import dev.cotenant.simulator.world.WorldSettings;
import java.util.Locale;

/**
 * A report in three sentences: what the proposed policy saves, whom it harms, and how much of it
 * rests on measurements.
 *
 * @param price of a GPU hour; 0: no money
 */
record Answer(ReplayReport report, double price) {
  private static final double HOUR = 3_600;
  private static final double MINUTE = 60;

  String sentences() {
    PolicyOutcome outcome = report.proposed();
    PolicyOutcome baseline = report.outcomes().getFirst();
    return savings(outcome, baseline) + " " + harm(outcome, baseline) + " " + confidence();
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
        "%s %s %,.0f GPU hours (%.1f %%%s); at the busiest moment it uses %s, %s uses %s%s.",
        outcome.policy(),
        saved < 0 ? "costs" : "saves",
        Math.abs(saved),
        100 * Math.abs(saved) / report.baselineGpuHours(),
        money,
        gpus(outcome.gpusNeeded()),
        baseline.policy(),
        range(baseline.gpusNeeded()),
        outcome.gpusNeeded().mean() > baseline.gpusNeeded().mean()
            ? ", as jobs beside others run longer"
            : "");
  }

  private static String gpus(Range range) {
    return range(range) + (range.highest() == 1 ? " GPU" : " GPUs");
  }

  private String harm(PolicyOutcome outcome, PolicyOutcome baseline) {
    return String.format(
        Locale.ROOT,
        "Of %,d jobs %s run more than %.0f %% longer and %s out of memory; on as many"
            + " GPUs as were recorded %s.",
        report.recorded().jobs(),
        range(outcome.harm().slowed()),
        100 * (WorldSettings.HARM_RATIO - 1),
        range(outcome.harm().outOfMemory()),
        waits(outcome.waits(), baseline));
  }

  private static String waits(PolicyOutcome.Waits waits, PolicyOutcome baseline) {
    String beside = String.format(Locale.ROOT, "%,d", baseline.waits().jobs());
    return waits.jobs() == 0
        ? "none would wait for more than a minute (" + beside + " under " + baseline.policy() + ")"
        : String.format(
            Locale.ROOT,
            "%,d would wait for more than a minute (%s under %s), the longest for %s",
            waits.jobs(),
            beside,
            baseline.policy(),
            duration(waits.longestSeconds()));
  }

  /** What was not measured lowers the savings and never raises them. */
  private String confidence() {
    return String.format(
        Locale.ROOT,
        "Jobs with %.0f %% of the GPU hours can be shared, all others hold whole GPUs; slowdowns"
            + " were %s.",
        report.confidence().shareableGpuHoursPercent(),
        report.recorded().slowdowns().split("[:;]", 2)[0]);
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
