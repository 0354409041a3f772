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
 * A job of which there is no graph here, as if its owner had registered one: what is remembered of
 * its run does not depend on what the graph says, nor does anything else, for it is taken to say
 * nothing.
 */
final class Ungraphed {
  private static final MemorySize NEXT_TO_NOTHING = MemorySize.ofBytes(1);

  private Ungraphed() {}

  /** What is predicted of it once it has run so. */
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
