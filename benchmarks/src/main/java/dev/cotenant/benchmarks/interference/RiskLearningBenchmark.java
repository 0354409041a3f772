package dev.cotenant.benchmarks.interference;

import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A model of risk with measurements of 2,000 configurations learns one more, and predicts. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 30)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class RiskLearningBenchmark {
  private static final int CONFIGURATIONS = 2_000;

  private final Random random = new Random(1);
  private RiskModel model;

  /** Every configuration is a victim once. */
  @Setup(Level.Trial)
  public void measure() {
    model = new RiskModel(RiskPrior.STATED);
    for (int i = 0; i < CONFIGURATIONS; i++) {
      model.learn(measurement(i, random.nextInt(CONFIGURATIONS)));
    }
  }

  private SpeedMeasurement measurement(int victim, int aggressor) {
    VictimColocation pair = new VictimColocation("a100-40gb", job(victim), List.of(job(aggressor)));
    return new SpeedMeasurement(pair, random.nextDouble(0.7, 1), 0.03);
  }

  private static SharedJob job(int number) {
    double usage = new Random(number).nextDouble(0.05, 0.6);
    return new SharedJob("job-" + number, "model-" + number / 4, usage, usage / 2);
  }

  /** Fewer than fill the memory. */
  @Benchmark
  public void learnOne() {
    model.learn(measurement(random.nextInt(CONFIGURATIONS), random.nextInt(CONFIGURATIONS)));
  }

  /** Of a pair that was never measured. */
  @Benchmark
  public double risk() {
    return model.risk(
        measurement(random.nextInt(CONFIGURATIONS), random.nextInt(CONFIGURATIONS)).colocation(),
        1.15);
  }
}
