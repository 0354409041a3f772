package dev.cotenant.simulator.replay;

import dev.cotenant.domain.quantity.Nanoseconds;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/**
 * Results of a policy on a recording.
 *
 * @param policy its name in the registry
 * @param gpusNeeded the most GPUs that are busy at a time where none is short
 * @param gpuHours time of GPUs with at least one job
 * @param waits in a fleet of the recorded size
 * @param harm of jobs by their neighbours
 */
public record PolicyOutcome(
    String policy, Range gpusNeeded, Range gpuHours, Waits waits, Harm harm) {

  /**
   * A figure over the draws of errors.
   *
   * @param mean of all draws
   * @param lowest of all draws
   * @param highest of all draws
   */
  public record Range(double mean, double lowest, double highest) {
    Range map(DoubleUnaryOperator function) {
      return new Range(
          function.applyAsDouble(mean),
          function.applyAsDouble(lowest),
          function.applyAsDouble(highest));
    }

    /** A value less the figure. */
    Range below(double value) {
      return new Range(value - mean, value - highest, value - lowest);
    }

    static Range of(List<Double> values) {
      var statistics = values.stream().mapToDouble(Double::doubleValue).summaryStatistics();
      return new Range(statistics.getAverage(), statistics.getMin(), statistics.getMax());
    }
  }

  /**
   * Waiting jobs.
   *
   * @param jobs that wait for more than a minute
   * @param meanSeconds of these; 0 without any
   * @param longestSeconds of all
   * @param unplaced jobs that never start
   */
  public record Waits(long jobs, double meanSeconds, double longestSeconds, long unplaced) {
    private static final Duration SHORT = Duration.ofMinutes(1);

    /** From the queueing time of each job. */
    static Waits of(long[] nanos, long unplaced) {
      long jobs = 0;
      double sum = 0;
      double longest = 0;
      for (long waited : nanos) {
        double seconds = waited / Nanoseconds.PER_SECOND;
        longest = Math.max(longest, seconds);
        if (waited > SHORT.toNanos()) {
          jobs++;
          sum += seconds;
        }
      }
      return new Waits(jobs, jobs == 0 ? 0 : sum / jobs, longest, unplaced);
    }

    Waits plus(Waits other) {
      long all = jobs + other.jobs;
      double sum = jobs * meanSeconds + other.jobs * other.meanSeconds;
      return new Waits(
          all,
          all == 0 ? 0 : sum / all,
          Math.max(longestSeconds, other.longestSeconds),
          unplaced + other.unplaced);
    }
  }

  /**
   * Harmed jobs.
   *
   * @param outOfMemory jobs that ran out of memory beside others
   * @param slowed jobs whose run is longer than the harm limit allows, without the former
   * @param slowdown mean over jobs of their run over the recorded one
   * @param slowdown95 its 95th percentile
   * @param configurations with most harmed jobs first; without configurations that have none
   */
  public record Harm(
      Range outOfMemory,
      Range slowed,
      Range slowdown,
      Range slowdown95,
      List<Harmed> configurations) {
    public Harm {
      configurations = List.copyOf(configurations);
    }
  }

  /**
   * The harmed jobs of a configuration.
   *
   * @param configuration of recorded jobs
   * @param jobs all of it
   * @param harmed slowed beyond the harm limit or out of memory, mean over the draws
   */
  public record Harmed(String configuration, long jobs, double harmed) {
    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%s (%,.0f of %,d)", configuration, harmed, jobs);
    }
  }
}
