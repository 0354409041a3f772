package dev.cotenant.benchmarks.llm;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPredictor;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The memory of a server from a folder of 100 shards and 1,137 tensors. */
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@State(Scope.Benchmark)
@NullUnmarked
public class LanguageModelBenchmark {
  private static final int SHARDS = 100;

  private Path folder;
  private LanguageModel read;
  private ServingCard card;

  @Setup
  public void prepare() {
    folder = ShardedModel.write(SHARDS);
    card = ServingCard.of(DeviceCatalogue.builtIn().require("h100-80gb"));
  }

  @TearDown
  public void remove() throws IOException {
    ShardedModel.delete(folder);
  }

  private MemoryPrediction predict(LanguageModel model) {
    VllmSettings settings =
        new VllmSettings(
            VllmVersion.MEASURED, 8, 2, 8192L, 0.9, null, null, null, null, false, null);
    return new MemoryPredictor(0.9).serving(model, settings, card, 1);
  }

  /** After its headers were read. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @Warmup(iterations = 3, time = 1)
  @Measurement(iterations = 4, time = 1)
  @Fork(1)
  public MemoryPrediction inMemory() {
    if (read == null) {
      read = ModelReader.standard().read(folder);
    }
    return predict(read);
  }

  /** With its headers, in a warm virtual machine. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @Warmup(iterations = 3, time = 1)
  @Measurement(iterations = 4, time = 1)
  @Fork(1)
  public MemoryPrediction fromDisk() {
    return predict(ModelReader.standard().read(folder));
  }

  /** The first prediction of a new virtual machine. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @Warmup(iterations = 0)
  @Measurement(iterations = 1)
  @Fork(5)
  public MemoryPrediction first() {
    return predict(ModelReader.standard().read(folder));
  }
}
