package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.evaluation.compare.UtilizationLearner;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingSettings;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** Our layers, as tables of several learners know them. */
public final class LayeredUtilization implements UtilizationLearner {
  private final DeviceCatalogue catalogue;

  public LayeredUtilization(DeviceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  @Override
  public String name() {
    return Competitor.LAYERED.label();
  }

  @Override
  public Function<ProfileRow, Utilization> fit(List<ProfileRow> rows, long seed) {
    Competitor.Way way =
        new Competitor.Way(
            Target.UTILIZATION, catalogue, TrainingSettings.standard(seed, Instant.EPOCH));
    Competitor.Regression regression =
        Competitor.LAYERED.fit(new HoldOut.Training(rows, List.of()), way);
    return row -> Utilization.ofPercentClipped(Math.expm1(regression.predict(row)));
  }
}
