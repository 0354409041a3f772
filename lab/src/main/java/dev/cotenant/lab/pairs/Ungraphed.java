package dev.cotenant.lab.pairs;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.LayerCounts;
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
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.List;

/**
 * A job without a graph here, treated as if its owner had registered one: the result depends on its
 * remembered runs only, since the graph is assumed to be empty.
 */
final class Ungraphed {
  private static final MemorySize NEXT_TO_NOTHING = MemorySize.ofBytes(1);

  private Ungraphed() {}

  /** Prediction for a configuration after its first measured run. */
  static Prediction after(Measurement alone, Device device) {
    ModelFeatures blank =
        new ModelFeatures(
            new LayerCounts(0, 0, 0, 0),
            0,
            0,
            MemorySize.ZERO,
            0,
            MemorySize.ZERO,
            MemorySize.ZERO,
            1);
    ProfileRow run =
        new ProfileRow(
            "pairs",
            "registered",
            "registered",
            blank,
            RunSettings.DEFAULT,
            device.id(),
            alone,
            Licence.OWN,
            ProfileRow.Quality.CLEAN);
    return LifeCycle.remembering(Ungraphed::anything, List.of(run))
        .predict(blank, RunSettings.DEFAULT, device);
  }

  /**
   * Expects so little that every run is accepted: a run far below the estimate would be rejected.
   */
  private static Prediction anything(PredictionRequest request) {
    return new Prediction(
        request.device().id(),
        request.model().batchSize(),
        request.settings(),
        new UtilizationEstimate(Utilization.IDLE, Utilization.IDLE, Utilization.FULL, null),
        new MemoryEstimate(NEXT_TO_NOTHING, MemorySize.ZERO, request.device().memory(), null),
        "nothing",
        List.of());
  }
}
