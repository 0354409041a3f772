package dev.cotenant.simulator.policy;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Used memory of the longest observed start of each configuration, in bytes at the step of the
 * history, 1 s. Starts that began before the history are not recorded.
 */
final class ObservedStarts {
  private static final double[] NONE = {};

  private final Map<String, double[]> starts = new HashMap<>();

  /** Records the series of jobs whose start is within the history. */
  void observe(GpuView gpu) {
    for (JobView tenant : gpu.tenants()) {
      Instant start = Instant.EPOCH.plus(tenant.startedAt());
      List<MemorySample> samples = tenant.usedMemorySeries().samples();
      boolean isWhole =
          !samples.isEmpty() && !samples.getFirst().at().isAfter(start.plusSeconds(1));
      if (isWhole) {
        double[] bytes =
            samples.stream()
                .filter(sample -> !sample.at().isBefore(start))
                .mapToDouble(sample -> sample.used().bytes())
                .toArray();
        Arrays.parallelPrefix(bytes, Math::max);
        starts.merge(
            tenant.submission().configuration(),
            bytes,
            (old, found) -> found.length > old.length ? found : old);
      }
    }
  }

  /**
   * The most memory up to each second of a configuration's start; empty where none was observed.
   */
  double[] of(String configuration) {
    return starts.getOrDefault(configuration, NONE);
  }
}
