package dev.cotenant.simulator.replay;

import dev.cotenant.learning.quantile.SortedSample;
import dev.cotenant.simulator.replay.PolicyOutcome.Harmed;
import dev.cotenant.simulator.world.WorldSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Slowdowns of jobs over all products in one draw. */
final class Slowdowns {
  /** Fewer are noise of the draws. */
  private static final double MIN_HARMED = 0.5;

  private static final int MAX_CONFIGURATIONS = 5;

  private final List<Double> ratios = new ArrayList<>();
  private final Map<String, Tally> configurations = new HashMap<>();
  private long outOfMemory;
  private long slowed;

  private record Tally(long jobs, long harmed) {
    Tally plus(Tally other) {
      return new Tally(jobs + other.jobs, harmed + other.harmed);
    }
  }

  /** The configurations of which most jobs are harmed, mean over draws on the same jobs. */
  static List<Harmed> most(List<Slowdowns> draws) {
    Map<String, Tally> sums = new HashMap<>();
    draws.forEach(
        draw -> draw.configurations.forEach((name, one) -> sums.merge(name, one, Tally::plus)));
    return sums.entrySet().stream()
        .map(entry ->
            new Harmed(
                entry.getKey(),
                entry.getValue().jobs() / draws.size(),
                (double) entry.getValue().harmed() / draws.size()))
        .filter(harmed -> harmed.harmed() >= MIN_HARMED)
        .sorted(
            Comparator.comparingDouble(Harmed::harmed)
                .reversed()
                .thenComparing(Harmed::configuration))
        .limit(MAX_CONFIGURATIONS)
        .toList();
  }

  /**
   * Takes a run.
   *
   * @param jobs of the run, by number
   */
  void add(PolicyRun run, List<RecordedJob> jobs) {
    outOfMemory += run.outOfMemory().cardinality();
    double[] slowdowns = run.slowdowns();
    for (int job = 0; job < slowdowns.length; job++) {
      if (slowdowns[job] > 0) {
        ratios.add(slowdowns[job]);
        slowed += slowdowns[job] > WorldSettings.HARM_RATIO && !run.outOfMemory().get(job) ? 1 : 0;
      }
      boolean isHarmed = run.outOfMemory().get(job) || slowdowns[job] > WorldSettings.HARM_RATIO;
      String configuration = jobs.get(job).origin().configuration();
      if (!configuration.isEmpty()) {
        configurations.merge(configuration, new Tally(1, isHarmed ? 1 : 0), Tally::plus);
      }
    }
  }

  double outOfMemory() {
    return outOfMemory;
  }

  double slowed() {
    return slowed;
  }

  double mean() {
    return ratios.stream().mapToDouble(Double::doubleValue).average().orElse(1);
  }

  double percentile95() {
    double[] all = ratios.stream().mapToDouble(Double::doubleValue).toArray();
    return all.length == 0 ? 1 : new SortedSample(all).at(0.95);
  }
}
