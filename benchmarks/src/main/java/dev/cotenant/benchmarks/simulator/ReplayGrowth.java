package dev.cotenant.benchmarks.simulator;

import static dev.cotenant.benchmarks.simulator.Growth.CONFIGURATIONS;
import static dev.cotenant.benchmarks.simulator.Growth.DEVICE;
import static dev.cotenant.benchmarks.simulator.Growth.GPUS;
import static dev.cotenant.benchmarks.simulator.Growth.LOAD;
import static dev.cotenant.benchmarks.simulator.Growth.MEAN_SECONDS;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.Engine;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.RecordedJob.Allocation;
import dev.cotenant.simulator.replay.RecordedJob.Extent;
import dev.cotenant.simulator.replay.RecordedJob.Origin;
import dev.cotenant.simulator.replay.RecordedJob.Times;
import dev.cotenant.simulator.replay.RecordedJob.Usage;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.RecordingReplay;
import dev.cotenant.simulator.replay.ReplayReport;
import dev.cotenant.simulator.replay.ReplaySettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * How the time of a replay grows with its jobs: a cluster of 1,000 GPUs that ran jobs of 60
 * configurations at 95 % load, replayed under each policy in as many GPUs as jobs need and in the
 * recorded fleet, one draw of errors. One line a policy and size; {@code all} is the command's
 * default, every policy and five draws.
 */
public final class ReplayGrowth {
  private static final int MAX_WHOLE_JOBS = 100_000;

  private ReplayGrowth() {}

  /** Arguments: sizes; by default up to a million. */
  public static void main(String[] arguments) {
    int[] sizes = Growth.sizes(arguments);
    System.out.printf("%-14s %10s %14s %12s%n", "policy", "jobs", "processor, s", "jobs/s");
    for (int size : sizes) {
      Recording recording = recording(size);
      for (String policy : ReplaySettings.DEFAULT_POLICIES) {
        print(policy, recording, List.of(policy), 1);
      }
      if (size <= MAX_WHOLE_JOBS) {
        print("all", recording, ReplaySettings.DEFAULT_POLICIES, ReplaySettings.DEFAULT_DRAWS);
      }
    }
  }

  private static void print(String name, Recording recording, List<String> policies, int draws) {
    Set<String> all = new LinkedHashSet<>(List.of(ReplaySettings.BASELINE));
    all.addAll(policies);
    ReplaySettings settings =
        new ReplaySettings(
            List.copyOf(all), Engine.standard().decider(), SharingLimits.DEFAULT, draws);
    double before = Growth.processorSeconds();
    ReplayReport report =
        new RecordingReplay(recording, settings, DeviceCatalogue.builtIn()).run(_ -> {});
    double seconds = Growth.processorSeconds() - before;
    System.out.printf(
        Locale.ROOT,
        "%-14s %10d %14.2f %12.0f%n",
        name,
        report.recorded().jobs(),
        seconds,
        report.recorded().jobs() / seconds);
  }

  /** Jobs in sequence on each GPU, without waiting. */
  private static Recording recording(int count) {
    SplittableRandom random = new SplittableRandom(5);
    List<RecordedJob> jobs = new ArrayList<>(count);
    double[] free = new double[GPUS];
    for (int i = 0; i < count; i++) {
      int gpu = i % GPUS;
      double idle = -Math.log(1 - random.nextDouble()) * MEAN_SECONDS * (1 / LOAD - 1);
      double start = free[gpu] + idle;
      double end = start + Math.max(1, -Math.log(1 - random.nextDouble()) * MEAN_SECONDS);
      free[gpu] = end;
      jobs.add(job(i, random.nextInt(CONFIGURATIONS), start, end));
    }
    return new Recording("generated", jobs, Map.of(DEVICE.id(), GPUS), List.of());
  }

  private static RecordedJob job(int number, int configuration, double start, double end) {
    Instant started = Instant.ofEpochMilli(Math.round(1_000 * start));
    return new RecordedJob(
        new Origin("", "job-" + number, "configuration-" + configuration),
        new Times(started, started, Instant.ofEpochMilli(Math.round(1_000 * end)), Extent.WHOLE),
        new Allocation(1, DEVICE.id()),
        new Usage(
            null,
            MemorySize.ofMiB(1_000 + 330L * configuration),
            Utilization.ofPercent(
                10 + 80.0 * (configuration * 7 % CONFIGURATIONS) / CONFIGURATIONS)));
  }
}
