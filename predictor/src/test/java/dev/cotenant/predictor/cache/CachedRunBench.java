package dev.cotenant.predictor.cache;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Runs of one workload on an A100, beside a model that says 40 % (30 to 50) and 4 GiB (3 to 6). */
public final class CachedRunBench {
  public static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  public static final Device A100 = DEVICES.require("a100-40gb");
  static final Instant NOW = Instant.parse("2026-11-21T00:00:00Z");
  public static final RunSettings TRAINING = RunSettings.DEFAULT;
  static final String NOTE = "Training had no such model.";

  private CachedRunBench() {}

  public static Prediction model(PredictionRequest request) {
    return model(request.model(), request.settings(), request.device());
  }

  public static Prediction model(ModelFeatures features, RunSettings settings, Device device) {
    return new Prediction(
        device.id(),
        features.batchSize(),
        settings,
        new UtilizationEstimate(
            Utilization.ofPercent(40),
            Utilization.ofPercent(30),
            Utilization.ofPercent(50),
            Coverage.of(0.8)),
        new MemoryEstimate(
            MemorySize.ofGiB(4), MemorySize.ofGiB(3), MemorySize.ofGiB(6), Coverage.of(0.8)),
        "model",
        List.of(NOTE));
  }

  public static ModelFeatures features(int batch) {
    return new ModelFeatures(
        new LayerCounts(20, 1, 17, 20),
        20,
        11_689_512,
        MemorySize.ofMiB(45),
        1_800_000_000L * batch,
        MemorySize.ofMiB(20L * batch),
        MemorySize.ofBytes(602_112L * batch),
        batch);
  }

  static ProfileRow row(int batch, RunSettings settings, Measurement measured) {
    return new ProfileRow(
        "cluster",
        "resnet18",
        "resnet18",
        features(batch),
        settings,
        A100.id(),
        measured,
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  static MeasuredRun run(int batch, double percent, long mebibytes) {
    return run(batch, percent, mebibytes, Duration.ofDays(1));
  }

  static MeasuredRun run(int batch, double percent, long mebibytes, Duration age) {
    Measurement measured =
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(percent))
            .withPeakMemory(MemorySize.ofMiB(mebibytes));
    return new MeasuredRun(row(batch, TRAINING, measured), NOW.minus(age));
  }

  static Prediction predict(List<MeasuredRun> runs, int batch) {
    return predict(runs, batch, TRAINING, A100);
  }

  static Prediction predict(
      List<MeasuredRun> runs, int batch, RunSettings settings, Device device) {
    MeasuredRunCache memory = MeasuredRunCache.of(runs, NOW);
    return LayeredPredictor.of(CachedRunBench::model, new MeasuredRunLayer(() -> memory))
        .predict(features(batch), settings, device);
  }
}
