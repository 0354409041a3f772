package dev.cotenant.simulator.replay;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Knowledge of a configuration at the arrival of a job: the measured runs that had ended by then,
 * as in the cache of measured runs. The first job of a configuration is unknown.
 */
final class EarlierRuns {
  /*
   * Mean utilization and largest peak of the runs; the bounds are those of the cache for a
   * configuration without repetitions of its own (Repeatability): 14 % of utilization, 5 % of memory.
   */
  private static final double UTILIZATION_WIDTH = 1.14;
  private static final double MEMORY_WIDTH = 1.05;

  private final DeviceId device;
  private final PriorityQueue<Run> running =
      new PriorityQueue<>(Comparator.comparing(Run::ended).thenComparing(Run::configuration));
  private final Map<String, Known> known = new HashMap<>();

  private record Run(String configuration, Instant ended, double percent, MemorySize peak) {}

  private record Known(int runs, double percents, MemorySize peak) {
    Known plus(Run run) {
      return new Known(runs + 1, percents + run.percent(), peak.max(run.peak()));
    }
  }

  EarlierRuns(DeviceId device) {
    this.device = device;
  }

  /** A prediction for a job that comes; jobs are to come in the order of their submissions. */
  Optional<Prediction> at(RecordedJob job) {
    List<Run> ended = new ArrayList<>();
    for (Run next = running.peek();
        next != null && !next.ended().isAfter(job.times().submitted());
        next = running.peek()) {
      ended.add(next);
      running.poll();
    }
    for (Run run : ended) {
      Known before = known.getOrDefault(run.configuration(), new Known(0, 0, MemorySize.ZERO));
      known.put(run.configuration(), before.plus(run));
    }
    return Optional.ofNullable(known.get(job.origin().configuration())).map(this::prediction);
  }

  /** Takes a job whose run was measured. */
  void add(RecordedJob job) {
    RecordedJob.Usage usage = job.usage();
    Utilization utilization = usage.utilization();
    MemorySize peak = usage.peakMemory();
    String configuration = job.origin().configuration();
    if (utilization != null && peak != null && !configuration.isEmpty()) {
      running.add(new Run(configuration, job.times().ended(), utilization.percent(), peak));
    }
  }

  private Prediction prediction(Known runs) {
    double mean = runs.percents() / runs.runs();
    return new Prediction(
        device,
        1,
        RunSettings.DEFAULT,
        new UtilizationEstimate(
            Utilization.ofPercentClipped(mean),
            Utilization.ofPercentClipped(mean / UTILIZATION_WIDTH),
            Utilization.ofPercentClipped(mean * UTILIZATION_WIDTH),
            Coverage.STANDARD),
        new MemoryEstimate(
            runs.peak(),
            runs.peak().times(1 / MEMORY_WIDTH),
            runs.peak().times(MEMORY_WIDTH),
            Coverage.STANDARD),
        "earlier runs",
        List.of());
  }
}
