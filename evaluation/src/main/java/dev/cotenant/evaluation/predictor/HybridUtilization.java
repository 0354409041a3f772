package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.evaluation.compare.UtilizationLearner;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.List;
import java.util.function.Function;

/** The hybrid model as a learner of utilization. */
public final class HybridUtilization implements UtilizationLearner {
  private final DeviceCatalogue catalogue;

  public HybridUtilization(DeviceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  @Override
  public String name() {
    return Competitor.HYBRID.label();
  }

  @Override
  public Function<ProfileRow, Utilization> fit(List<ProfileRow> rows, long seed) {
    Competitor.Way way =
        new Competitor.Way(Target.UTILIZATION, catalogue, TrainingSettings.standard(seed));
    Competitor.Regression regression =
        Competitor.HYBRID.fit(new HoldOut.Training(rows, List.of()), way);
    return row -> Utilization.ofPercentClipped(Math.expm1(regression.predict(row)));
  }
}
