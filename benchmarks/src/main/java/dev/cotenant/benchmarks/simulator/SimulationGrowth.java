package dev.cotenant.benchmarks.simulator;

import static dev.cotenant.benchmarks.simulator.Growth.CONFIGURATIONS;
import static dev.cotenant.benchmarks.simulator.Growth.DEVICE;
import static dev.cotenant.benchmarks.simulator.Growth.GPUS;
import static dev.cotenant.benchmarks.simulator.Growth.LOAD;
import static dev.cotenant.benchmarks.simulator.Growth.MEAN_SECONDS;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.simulator.policy.Policies;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.GpuKind;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.SpeedModel;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.Truth;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * How the time of a simulation grows with its jobs: 1,000 GPUs, Poisson arrivals at 95 % of what
 * they run one by one, 60 configurations. One line a policy and size, with wall and processor time,
 * the longest queue and the most pending events.
 */
public final class SimulationGrowth {
  private static final int TENANTS = 3;
  private static final List<String> POLICIES =
      List.of("exclusive", "gpushare", "utilization", "decide", "gate");

  /** A tenth slower for each neighbour. */
  private static final SpeedModel SPEEDS = (_, others, _) -> Math.pow(0.9, others.size());

  private SimulationGrowth() {}

  /** Arguments: sizes; by default up to a million. */
  public static void main(String[] arguments) {
    int[] sizes = Growth.sizes(arguments);
    System.out.printf(
        "%-12s %10s %10s %14s %12s %10s %10s%n",
        "policy", "jobs", "wall, s", "processor, s", "jobs/s", "queue", "events");
    for (String policy : POLICIES) {
      for (int size : sizes) {
        print(policy, size);
      }
    }
  }

  private static void print(String policy, int size) {
    GpuKind kind = new GpuKind(DEVICE, DEVICE.memory(), new GpuKind.Power(50, 300));
    WorldSettings settings =
        WorldSettings.of(List.of(new WorldSettings.Machine("node", kind, GPUS)), SPEEDS);
    Policies.Setting setting =
        new Policies.Setting(
            settings, Engine.standard().decider(), SharingLimits.DEFAULT, DEVICE.id(), TENANTS);
    long wall = System.nanoTime();
    double processor = Growth.processorSeconds();
    Totals totals = World.run(settings, new Jobs(size), Policies.make(policy, setting));
    double processorSeconds = Growth.processorSeconds() - processor;
    double wallSeconds = (System.nanoTime() - wall) / Nanoseconds.PER_SECOND;
    System.out.printf(
        Locale.ROOT,
        "%-12s %10d %10.2f %14.2f %12.0f %10d %10d%n",
        policy,
        totals.finished(),
        wallSeconds,
        processorSeconds,
        totals.finished() / processorSeconds,
        totals.mostWaiting(),
        totals.mostPending());
  }

  /** Jobs, made one by one as they arrive. */
  private static final class Jobs implements Iterator<Arrival> {
    private final SplittableRandom random = new SplittableRandom(5);
    private final List<Submission> submissions = new ArrayList<>();
    private int left;
    private double at;
    private long number;

    Jobs(int count) {
      left = count;
      for (int i = 0; i < CONFIGURATIONS; i++) {
        MemorySize memory = MemorySize.ofMiB(1_000 + random.nextInt(20_000));
        submissions.add(
            new Submission(
                "", "configuration-" + i, memory, predictions(10 + random.nextInt(80), memory)));
      }
    }

    private static Map<DeviceId, Prediction> predictions(int percent, MemorySize memory) {
      Utilization busy = Utilization.ofPercent(percent);
      return Map.of(
          DEVICE.id(),
          new Prediction(
              DEVICE.id(),
              1,
              RunSettings.DEFAULT,
              new UtilizationEstimate(busy, busy, busy, Coverage.of(1)),
              new MemoryEstimate(memory, memory, memory, Coverage.of(1)),
              "exact",
              List.of()));
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public Arrival next() {
      left--;
      at -= Math.log(1 - random.nextDouble()) * MEAN_SECONDS / GPUS / LOAD;
      Submission drawn = submissions.get(random.nextInt(CONFIGURATIONS));
      double work = -Math.log(1 - random.nextDouble()) * MEAN_SECONDS;
      double percent =
          drawn.predictions().values().iterator().next().utilization().mean().percent();
      return new Arrival(
          nanos(at),
          new Submission(
              "job-" + number++,
              drawn.configuration(),
              drawn.requestedMemory(),
              drawn.predictions()),
          Truth.of(
              Phase.of(
                  nanos(Math.max(1, work)),
                  new Phase.Load(drawn.configuration(), percent),
                  drawn.requestedMemory())));
    }

    private static Duration nanos(double seconds) {
      return Duration.ofNanos((long) (seconds * Nanoseconds.PER_SECOND));
    }
  }
}
