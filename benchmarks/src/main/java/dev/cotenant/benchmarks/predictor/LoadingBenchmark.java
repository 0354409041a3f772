package dev.cotenant.benchmarks.predictor;

import dev.cotenant.predictor.Predictor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
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

/**
 * The first load of the shipped predictor in a virtual machine, a new machine for each measurement:
 * most of it is loading classes. Those of the JDK that JMH itself uses are loaded before.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(
    value = 12,
    jvmArgs = {"-XX:+UseSerialGC"})
@State(Scope.Benchmark)
@NullUnmarked
public class LoadingBenchmark {
  private byte[] file;

  /** Reads the file without a class of the predictor. */
  @Setup
  public void read() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            LoadingBenchmark.class.getResourceAsStream(
                "/dev/cotenant/predictor/predictor.model"))) {
      file = in.readAllBytes();
    }
  }

  /** From its bytes. */
  @Benchmark
  public Predictor loadFirst() {
    return Predictor.ofBytes(file, "shipped");
  }

  /** Found among the classes. */
  @Benchmark
  public Predictor findAndLoadFirst() {
    return Predictor.builtIn();
  }
}
