package dev.cotenant.benchmarks.predictor;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.hybrid.HybridFile;
import dev.cotenant.predictor.hybrid.HybridModel;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.model.Target;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

/**
 * The shipped predictor: one row through both targets or one, with bounds, another row each time;
 * and loading it from its bytes.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class PredictorBenchmark {
  private static final int ROWS = 1024;

  private byte[] file;
  private Predictor predictor;
  private HybridModel layers;
  private Device device;
  private List<ModelFeatures> models;
  private int next;

  @Setup
  public void prepare() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(Predictor.class.getResourceAsStream("predictor.model"))) {
      file = in.readAllBytes();
    }
    predictor = Predictor.ofBytes(file, "shipped");
    layers = HybridFile.read(file, "shipped");
    device = DeviceCatalogue.builtIn().require("a100-40gb");
    Random random = new Random(1);
    models = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      models.add(model(random));
    }
  }

  private static ModelFeatures model(Random random) {
    int layers = 1 + random.nextInt(60);
    int batch = 1 + random.nextInt(512);
    long parameters = Math.round(Math.exp(9 + 9 * random.nextDouble()));
    return new ModelFeatures(
        new LayerCounts(layers, 1, layers, layers),
        layers,
        parameters,
        MemorySize.ofBytes(4 * parameters),
        parameters * 20 * batch,
        MemorySize.ofBytes(100_000L * layers * batch),
        MemorySize.ofBytes(600_000L * batch),
        batch);
  }

  @Benchmark
  public Prediction predictWithBounds() {
    next = next + 1 < ROWS ? next + 1 : 0;
    return predictor.predict(models.get(next), RunSettings.DEFAULT, device);
  }

  /** One target and its bound: what the layers take, without what an answer says in words. */
  @Benchmark
  public HybridModel.Estimate utilizationWithBound() {
    next = next + 1 < ROWS ? next + 1 : 0;
    return layers.estimate(
        Target.UTILIZATION, PredictionRequest.of(models.get(next), RunSettings.DEFAULT, device));
  }

  @Benchmark
  public HybridModel.Estimate memoryWithBound() {
    next = next + 1 < ROWS ? next + 1 : 0;
    return layers.estimate(
        Target.PEAK_MEMORY, PredictionRequest.of(models.get(next), RunSettings.DEFAULT, device));
  }

  @Benchmark
  public Predictor loadPredictor() {
    return Predictor.ofBytes(file, "shipped");
  }
}
