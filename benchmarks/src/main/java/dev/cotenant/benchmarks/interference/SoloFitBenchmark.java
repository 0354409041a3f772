package dev.cotenant.benchmarks.interference;

import dev.cotenant.interference.fit.IgniterCurveFit;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloFit;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.interference.solo.SoloSurface;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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

/** One workload fitted to sixteen profile points with 2 % of noise. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class SoloFitBenchmark {
  private List<SoloPoint> points;

  @Setup
  public void prepare() {
    WorkloadProfile profile = ProfileBook.builtIn().workload("resnet50").orElseThrow();
    Random random = new Random(1);
    points = new ArrayList<>();
    for (int batch : new int[] {1, 2, 8, 32}) {
      for (double share : new double[] {20, 40, 50, 80}) {
        double noise = 1 + 0.02 * random.nextGaussian();
        points.add(new SoloPoint(batch, share, profile.activeTime().millis(batch, share) * noise));
      }
    }
  }

  @Benchmark
  public SoloFit<SoloSurface> surface() {
    return SoloSurface.fit(points);
  }

  @Benchmark
  public SoloFit<WorkloadProfile.ActiveTime> igniter() {
    return IgniterCurveFit.fit(points);
  }
}
