package dev.cotenant.predictor.correct;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
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
import dev.cotenant.predictor.model.FeaturePredictor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/** Clusters that were made up: a base that says 20 % and 4 GiB always, and runs that differ. */
final class Clusters {
  static final String BASE_HASH = "ab".repeat(32);
  static final Correction.Base BASE = new Correction.Base(BASE_HASH, "forest-1-abababababab");
  static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  static final DeviceId A100 = new DeviceId("a100-40gb");
  static final DeviceId T4 = new DeviceId("t4");

  /** Bounds at a factor of 1.25 either way. */
  static final FeaturePredictor FLAT =
      request ->
          new Prediction(
              request.device().id(),
              request.model().batchSize(),
              request.settings(),
              new UtilizationEstimate(
                  Utilization.ofPercent(20),
                  Utilization.ofPercent(21 / 1.25 - 1),
                  Utilization.ofPercent(21 * 1.25 - 1),
                  Coverage.of(0.9)),
              new MemoryEstimate(
                  MemorySize.ofGiB(4),
                  MemorySize.ofGiB(4).times(0.8),
                  MemorySize.ofGiB(5),
                  Coverage.of(0.9)),
              BASE.label(),
              List.of());

  private Clusters() {}

  /** The models of made-up families are far apart, those of one family near. */
  static ModelFeatures model(int family, int batchSize) {
    int layers = 10 << family;
    return new ModelFeatures(
        new LayerCounts(layers, 1, layers, layers),
        layers,
        1_000_000L << family,
        MemorySize.ofBytes(4_000_000L << family),
        (1_000_000_000L << family) * batchSize,
        MemorySize.ofMiB(20L * batchSize),
        MemorySize.ofBytes(602_112L * batchSize),
        batchSize);
  }

  static ProfileRow row(int family, int batchSize, DeviceId device, double logError) {
    return new ProfileRow(
        "test",
        "family-" + family,
        "family-" + family,
        model(family, batchSize),
        RunSettings.DEFAULT,
        device,
        Measurement.NONE.withUtilization(
            Utilization.ofPercentClipped(Math.expm1(Math.log1p(20) + logError))),
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  /** Rows of random families and batches on an A100 whose errors are bias and normal noise. */
  static List<ProfileRow> rows(
      int count, Random random, ToDoubleFunction<Integer> familyBias, double noise) {
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int family = random.nextInt(5);
      int batchSize = 1 << random.nextInt(8);
      double error = familyBias.applyAsDouble(family) + noise * random.nextGaussian();
      rows.add(row(family, batchSize, A100, error));
    }
    return rows;
  }

  /** Rows whose errors jump with the batch, which no offset can tell. */
  static List<ProfileRow> steps(int count, Random random) {
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int batch = 1 << random.nextInt(8);
      double error = (batch > 8 ? 0.3 : -0.3) + 0.05 * random.nextGaussian();
      rows.add(row(random.nextInt(5), batch, A100, error));
    }
    return rows;
  }

  /** Mean squared error of utilization in log space. */
  static double meanSquare(FeaturePredictor predictor, List<ProfileRow> rows) {
    return rows.stream().mapToDouble(row -> Math.pow(error(predictor, row), 2)).average().orElse(0);
  }

  private static double error(FeaturePredictor predictor, ProfileRow row) {
    return CorrectedTarget.UTILIZATION.measured(row).orElseThrow()
        - Math.log1p(predict(predictor, row).utilization().mean().percent());
  }

  static Prediction predict(FeaturePredictor predictor, ProfileRow row) {
    return predictor.predict(row.features(), row.settings(), DEVICES.require(row.device().value()));
  }
}
