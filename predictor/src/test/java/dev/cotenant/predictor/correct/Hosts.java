package dev.cotenant.predictor.correct;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Clusters that were made up, whose hosts take less or more: a base that expects a context of 1,400
 * MiB beside activations, within 5 % on a measured host and a factor of two on any other.
 */
final class Hosts {
  static final double CONTEXT = 1400;

  static final FeaturePredictor BASE =
      request ->
          expected(
              request.model(),
              request.settings(),
              request.device(),
              request.host() == Host.MEASURED ? 1.05 : 2);

  private Hosts() {}

  private static Prediction expected(
      ModelFeatures features, RunSettings settings, Device device, double factor) {
    double peak = CONTEXT + features.activations().toMiB();
    return new Prediction(
        device.id(),
        features.batchSize(),
        settings,
        new UtilizationEstimate(Utilization.FULL, Utilization.IDLE, Utilization.FULL, null),
        new MemoryEstimate(
            mebibytes(peak), mebibytes(peak / factor), mebibytes(peak * factor), null),
        "made-up",
        List.of());
  }

  static MemorySize mebibytes(double mebibytes) {
    return MemorySize.ofBytesRoundedUp(mebibytes * (1 << 20));
  }

  /** A run of a family with activations of 20 MiB a sample, which took so much. */
  static ProfileRow run(int family, int batchSize, double peakMebibytes) {
    return new ProfileRow(
        "test",
        "family-" + family,
        "family-" + family,
        Clusters.model(family, batchSize),
        RunSettings.DEFAULT,
        Clusters.A100,
        Measurement.NONE.withPeakMemory(mebibytes(peakMebibytes)),
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  /** Runs of random families and batches on hosts with such a context; 3 % of noise. */
  static List<ProfileRow> runs(int count, Random random, double context) {
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int batch = 1 << random.nextInt(10);
      double noise = Math.exp(0.03 * random.nextGaussian());
      rows.add(run(random.nextInt(5), batch, (context + 20.0 * batch) * noise));
    }
    return rows;
  }

  static Correction trained(List<ProfileRow> rows) {
    return new CorrectionTrainer(Clusters.DEVICES, TrainingProgress.SILENT)
        .train(BASE, Clusters.BASE, rows)
        .correction();
  }

  static FeaturePredictor corrected(List<ProfileRow> rows) {
    return LayeredPredictor.of(
        BASE, new CorrectionLayer(Clusters.BASE_HASH, trained(rows), "corrected"));
  }

  /** Mean squared error of peak memory in log space. */
  static double meanSquare(FeaturePredictor predictor, List<ProfileRow> rows) {
    return rows.stream()
        .mapToDouble(row -> {
          var bounds = CorrectedTarget.PEAK_MEMORY.predicted(Clusters.predict(predictor, row));
          double miss = CorrectedTarget.PEAK_MEMORY.measured(row).orElseThrow() - bounds.mean();
          return miss * miss;
        })
        .average()
        .orElseThrow();
  }
}
