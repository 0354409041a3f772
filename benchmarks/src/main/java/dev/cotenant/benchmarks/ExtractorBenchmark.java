package dev.cotenant.benchmarks;

import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
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

/**
 * From a file to its features, on one thread and in a heap of 64 MiB: a sample that needs more
 * fails with {@code OutOfMemoryError}.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 4, time = 2)
@Fork(
    value = 2,
    jvmArgs = {"-Xmx64m", "-XX:+UseSerialGC"})
@State(Scope.Benchmark)
@NullUnmarked
public class ExtractorBenchmark {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();

  @Param("resnet50")
  private String model;

  private SampleFile sample;

  @Setup
  public void write() throws IOException {
    sample = SampleFile.of(model);
  }

  @TearDown
  public void delete() throws IOException {
    sample.close();
  }

  @Benchmark
  public GraphFeatures readAndExtract() {
    return EXTRACTOR.extract(READER.read(sample.file()), GraphBinding.NONE);
  }
}
