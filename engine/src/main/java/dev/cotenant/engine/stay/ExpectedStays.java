package dev.cotenant.engine.stay;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.PredictionAdjustment;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Adds how long workloads stay: by past runs in their namespace, else by a prior. */
public final class ExpectedStays implements PredictionAdjustment {
  private final Stays stays;
  private final @Nullable Duration prior;

  /**
   * @param prior the stay of workloads of which less than two runs are known; null where nothing is
   *     known of theirs
   */
  public ExpectedStays(Stays stays, @Nullable Duration prior) {
    this.stays = stays;
    this.prior = prior;
  }

  @Override
  public Prediction adjust(
      String namespace, Workload workload, Prediction prediction, Coverage level) {
    @Nullable Duration stay = stays.of(namespace, workload).orElse(prior);
    return stay == null ? prediction : prediction.withStay(stay);
  }
}
