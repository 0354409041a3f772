package dev.cotenant.simulator.policy;

import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.learning.quantile.RankCorrelation;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import java.util.Arrays;

/**
 * Kube-Knots' test whether the memory of two pods grows at the same time: Spearman's correlation
 * between their series is below 0.5 [Kube-Knots, Correlation Based Prediction].
 *
 * <p>A waiting job has no series of its own: the first minute of the longest observed start of its
 * configuration stands in, against the newest samples of each tenant. The test passes for a
 * configuration that was never observed, with fewer than five samples (the window of Kube-Knots at
 * one sample a second), and beside constant memory, for which the correlation is undefined.
 */
final class SeriesCorrelation {
  private static final double LIMIT = 0.5;
  private static final int MIN_SAMPLES = 5;

  private final ObservedStarts starts = new ObservedStarts();

  /** Records the series of jobs whose start is within the history. */
  void observe(GpuView gpu) {
    starts.observe(gpu);
  }

  /** Whether the start of a job is not correlated with a tenant. */
  boolean allows(JobView job, GpuView gpu) {
    double[] start = starts.of(job.submission().configuration());
    return start.length == 0
        || gpu.tenants().stream().noneMatch(tenant -> isCorrelated(start, tenant));
  }

  private static boolean isCorrelated(double[] start, JobView tenant) {
    MemorySeries series = tenant.usedMemorySeries();
    int samples = Math.min(start.length, series.samples().size());
    double[] newest =
        series.newest(samples).samples().stream().mapToDouble(s -> s.used().bytes()).toArray();
    double[] first = Arrays.copyOf(start, samples);
    return samples >= MIN_SAMPLES && RankCorrelation.of(first, newest).orElse(0) >= LIMIT;
  }
}
