package dev.cotenant.benchmarks.interference;

import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One GPU with nine workloads, each beside eight neighbours: placed anew and evaluated. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class GpuStateBenchmark {
  private static final int WORKLOADS = 9;
  private static final double SHARE_PERCENT = 10;

  private GpuState gpu;
  private WorkloadProfile[] profiles;

  @Setup
  public void prepare() {
    ProfileBook book = ProfileBook.builtIn();
    List<WorkloadProfile> four = book.workloads();
    gpu = new GpuState(book.requireDevice("v100-16gb"), WORKLOADS);
    profiles = new WorkloadProfile[WORKLOADS];
    for (int i = 0; i < WORKLOADS; i++) {
      profiles[i] = four.get(i % four.size());
    }
  }

  @Benchmark
  public double placeAndEvaluate() {
    gpu.clear();
    for (int i = 0; i < WORKLOADS; i++) {
      gpu.place(profiles[i], i + 1, SHARE_PERCENT);
    }
    if (gpu.evaluate() != GpuState.Status.VALID) {
      throw new IllegalStateException("the figures must hold");
    }
    return gpu.latencyMillis(0);
  }
}
