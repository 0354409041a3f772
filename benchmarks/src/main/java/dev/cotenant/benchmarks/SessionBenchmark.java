package dev.cotenant.benchmarks;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import java.io.IOException;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What ONNX Runtime takes to load the same files, on one thread: the baseline. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(
    value = 1,
    jvmArgs = {"-Xmx64m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"})
@State(Scope.Benchmark)
@NullUnmarked
public class SessionBenchmark {
  @Param("resnet50-weights")
  private String weights;

  private SampleFile sample;

  @Setup
  public void write() throws IOException {
    sample = SampleFile.of(weights);
  }

  @TearDown
  public void delete() throws IOException {
    sample.close();
  }

  /** As it does by default. */
  @Benchmark
  public long loadOptimized() throws OrtException {
    return load(OptLevel.ALL_OPT);
  }

  @Benchmark
  public long loadUnoptimized() throws OrtException {
    return load(OptLevel.NO_OPT);
  }

  private long load(OptLevel level) throws OrtException {
    try (SessionOptions options = new SessionOptions()) {
      options.setIntraOpNumThreads(1);
      options.setOptimizationLevel(level);
      try (OrtSession session =
          OrtEnvironment.getEnvironment().createSession(sample.file().toString(), options)) {
        return session.getNumInputs();
      }
    }
  }
}
