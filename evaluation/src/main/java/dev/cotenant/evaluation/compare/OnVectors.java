package dev.cotenant.evaluation.compare;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.model.Feature;
import dev.cotenant.predictor.model.Target;
import java.util.List;
import java.util.function.Function;

/**
 * Learns log1p of utilization in percent, whose squared error is the RMSLE, from the features of
 * [UtilPred, Table 2] and the device's catalogue numbers, in the order of {@link Feature}.
 */
final class OnVectors implements UtilizationLearner {
  private final RegressionLearner learner;
  private final DeviceCatalogue catalogue;

  OnVectors(RegressionLearner learner, DeviceCatalogue catalogue) {
    this.learner = learner;
    this.catalogue = catalogue;
  }

  @Override
  public String name() {
    return learner.name();
  }

  @Override
  public Function<ProfileRow, Utilization> fit(List<ProfileRow> rows, long seed) {
    float[][] vectors = rows.stream().map(this::vector).toArray(float[][]::new);
    double[] logs = rows.stream().mapToDouble(Target.UTILIZATION::logOf).toArray();
    RegressionLearner.Regression learned = learner.fit(vectors, logs, seed);
    return row -> Utilization.ofPercentClipped(Math.expm1(learned.predict(vector(row))));
  }

  /** What utilization may not be learned from is 0 in every row. */
  private float[] vector(ProfileRow row) {
    return Target.UTILIZATION.vector(row.features(), catalogue.require(row.device().value()));
  }
}
