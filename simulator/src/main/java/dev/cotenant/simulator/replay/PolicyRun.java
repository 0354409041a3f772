package dev.cotenant.simulator.replay;

import dev.cotenant.simulator.replay.PolicyOutcome.Waits;
import dev.cotenant.simulator.world.GpuKind;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import dev.cotenant.simulator.world.recorder.Recorder;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;

/** One run of a policy on the jobs of one product. */
final class PolicyRun {
  private static final double NANOS_PER_HOUR = 3_600e9;

  private final Workload workload;
  private final long[] waitedNanos;
  private final double[] slowdowns;
  private final BitSet outOfMemory = new BitSet();
  private final BitSet ended = new BitSet();
  private final Recorder recorder = new Recorder();
  private final Totals totals;
  private final int mostBusy;

  /**
   * Runs a policy.
   *
   * @param gpus of the workload's product
   * @param draw of the errors of speeds
   */
  PolicyRun(Workload workload, int gpus, int draw, Function<WorldSettings, Policy> maker) {
    this.workload = workload;
    waitedNanos = new long[workload.jobs().size()];
    slowdowns = new double[workload.jobs().size()];
    GpuKind kind =
        new GpuKind(workload.device(), workload.device().memory(), new GpuKind.Power(0, 0));
    WorldSettings world =
        WorldSettings.of(
                List.of(new WorldSettings.Machine("cluster", kind, gpus)), workload.speeds(draw))
            .withMayShare(workload::mayShare);
    WatchedPolicy policy = new WatchedPolicy(maker.apply(world));
    totals = World.run(world, workload.arrivals().iterator(), policy, new Watching());
    mostBusy = policy.mostBusy();
    workload.arrivals().stream()
        .filter(arrival -> policy.outOfMemory().contains(arrival.submission().name()))
        .forEach(arrival -> outOfMemory.set(workload.job(arrival.submission())));
  }

  private final class Watching implements Observer {
    @Override
    public void ended(Ended one) {
      int job = workload.job(one.submission());
      ended.set(Workload.arrival(one.submission()));
      waitedNanos[job] = Math.max(waitedNanos[job], one.waited().toNanos());
      double recorded = workload.jobs().get(job).times().run().toNanos();
      slowdowns[job] = Math.max(slowdowns[job], one.ran().toNanos() / recorded);
      recorder.ended(one);
    }

    @Override
    public long nextSampleNanos() {
      return recorder.nextSampleNanos();
    }

    @Override
    public void sampled(Sample sample) {
      recorder.sampled(sample);
    }
  }

  /** A job that never ran saves nothing: its recorded run time counts. */
  double gpuHours() {
    return totals.gpuHours()
        + workload.arrivals().stream()
            .filter(arrival -> !ended.get(Workload.arrival(arrival.submission())))
            .mapToDouble(arrival ->
                workload.jobs().get(workload.job(arrival.submission())).times().run().toNanos()
                    / NANOS_PER_HOUR)
            .sum();
  }

  int mostBusy() {
    return mostBusy;
  }

  /** By job: its run time relative to the recorded one; 0 if it did not end. */
  double[] slowdowns() {
    return slowdowns;
  }

  /** Jobs that ran out of memory. */
  BitSet outOfMemory() {
    return outOfMemory;
  }

  Waits waits() {
    return Waits.of(waitedNanos, workload.arrivals().size() - ended.cardinality());
  }

  RecordedRun recorded(String policy) {
    return new RecordedRun(policy, totals, recorder);
  }
}
