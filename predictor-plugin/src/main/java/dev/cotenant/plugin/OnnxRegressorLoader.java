package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.plugin.Regressor;
import dev.cotenant.predictor.plugin.RegressorLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Loads ONNX regressors. Found by name as a service.
 *
 * <p>A model file determines the computation, so it is trusted like code: the hash in the manifest
 * identifies the reviewed file. Besides, {@link GraphGuard} allows only graphs whose memory the
 * file bounds, and each run has a deadline.
 */
public final class OnnxRegressorLoader implements RegressorLoader {
  /** ResNet-50 at batch 32, which every regressor should be able to predict. */
  private static final ModelFeatures PROBE =
      new ModelFeatures(
          new LayerCounts(53, 1, 49, 55),
          53,
          25_557_032,
          MemorySize.ofBytes(102_228_128),
          32 * 4_089_184_256L,
          MemorySize.ofBytes(32 * 88_000_000L),
          MemorySize.ofBytes(32 * 602_112L),
          32);

  private static final int MEASURED_RUNS = 5;
  private static final Duration MAX_TRIAL = Duration.ofMillis(20);

  /** A decision waits for a run, which takes microseconds. */
  private static final Duration DEADLINE = Duration.ofMillis(50);

  private final Duration deadline;

  /** With the deadline of decisions. */
  public OnnxRegressorLoader() {
    this(DEADLINE);
  }

  OnnxRegressorLoader(Duration deadline) {
    this.deadline = deadline;
  }

  @Override
  public Regressor load(Path manifest, DeviceCatalogue devices) {
    String text = ModelFile.manifest(manifest);
    Manifest read = new ManifestReader(devices).read(text, manifest.toString());
    byte[] model = ModelFile.model(manifest, read.file(), read.sha256());
    return open(read, model, read.sha256(), devices);
  }

  @Override
  public Regressor read(byte[] archive, String name, DeviceCatalogue devices) {
    Archive unpacked = Archive.of(archive, name);
    Manifest read = new ManifestReader(devices).read(unpacked.manifest(), name);
    return open(read, unpacked.model(read), Sha256.of(archive), devices);
  }

  private Regressor open(
      Manifest manifest, byte[] model, String sha256, DeviceCatalogue catalogue) {
    GraphGuard.check(model, manifest.file(), manifest.inputs().size());
    OnnxSession session = OnnxSession.open(model, manifest.file(), manifest.inputs().size());
    List<Device> devices =
        manifest.scope().devices().stream().map(id -> catalogue.require(id.value())).toList();
    OnnxRegressor regressor = new OnnxRegressor(manifest, sha256, session);
    boolean isTried = false;
    try {
      tryOut(regressor, manifest, devices);
      session.limit(deadline);
      isTried = true;
      return regressor;
    } finally {
      if (!isTried) {
        session.close();
      }
    }
  }

  /** Answers as in decisions. */
  private static void tryOut(OnnxRegressor regressor, Manifest manifest, List<Device> devices) {
    requireFast(regressor, manifest, devices.getFirst());
    for (Device device : devices) {
      for (ExecutionMode mode : manifest.scope().modes()) {
        for (Precision precision : manifest.scope().precisions()) {
          regressor.answer(request(device, RunSettings.of(mode, precision)), PROBE, device);
        }
      }
    }
  }

  /** The fastest of a few runs, as the first allocates and others wait for the processor. */
  private static void requireFast(OnnxRegressor regressor, Manifest manifest, Device device) {
    Manifest.Scope scope = manifest.scope();
    Prediction request =
        request(
            device,
            RunSettings.of(scope.modes().iterator().next(), scope.precisions().iterator().next()));
    long fastest = Long.MAX_VALUE;
    for (int run = 0; run < MEASURED_RUNS; run++) {
      long start = System.nanoTime();
      regressor.answer(request, PROBE, device);
      fastest = Math.min(fastest, System.nanoTime() - start);
    }
    if (fastest > MAX_TRIAL.toNanos()) {
      throw InputException.malformed(
          "regressor-too-slow",
          manifest.file()
              + ": a run takes "
              + Duration.ofNanos(fastest).toMillis()
              + " ms, longer than "
              + MAX_TRIAL.toMillis()
              + " ms.");
    }
  }

  private static Prediction request(Device device, RunSettings settings) {
    MemorySize none = MemorySize.ofBytes(0);
    return new Prediction(
        device.id(),
        PROBE.batchSize(),
        settings,
        new UtilizationEstimate(
            Utilization.IDLE, Utilization.IDLE, Utilization.IDLE, Coverage.of(0.9)),
        new MemoryEstimate(none, none, none, Coverage.of(0.9)),
        "trial",
        List.of());
  }
}
