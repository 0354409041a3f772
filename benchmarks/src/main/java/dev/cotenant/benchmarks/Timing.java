package dev.cotenant.benchmarks;

import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;

/**
 * How long one operation took.
 *
 * @param median milliseconds
 * @param least milliseconds
 * @param allocatedBytes bytes of heap that one operation allocates; 0 where not measured
 */
record Timing(double median, double least, double allocatedBytes) {
  private static final String ALLOCATION = "gc.alloc.rate.norm";

  static Timing of(RunResult result) {
    Statistics statistics = result.getPrimaryResult().getStatistics();
    return new Timing(statistics.getPercentile(50), statistics.getMin(), allocation(result));
  }

  private static double allocation(RunResult result) {
    Result<?> allocated = result.getSecondaryResults().get(ALLOCATION);
    return allocated == null ? 0 : allocated.getScore();
  }
}
