package dev.cotenant.benchmarks.placement;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.igniter.RandomFleets;
import dev.cotenant.placement.igniter.TranscribedIgniter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** iGniter's plan of a random fleet, ours and the algorithm line by line, in a heap of 300 MiB. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 4, time = 2)
@Fork(
    value = 1,
    jvmArgs = {"-Xmx300m"})
@State(Scope.Benchmark)
@NullUnmarked
public class PlanningBenchmark {
  private static final long SEED = 7;

  @Param({"12", "1000"})
  private int workloads;

  private Fleet fleet;

  @Setup
  public void draw() {
    fleet = RandomFleets.published(workloads, SEED);
  }

  @Benchmark
  public FleetPlan igniter() {
    return IgniterPlanner.IGNITER.plan(fleet);
  }

  @Benchmark
  public FleetPlan transcribed() {
    return new TranscribedIgniter().plan(fleet);
  }
}
