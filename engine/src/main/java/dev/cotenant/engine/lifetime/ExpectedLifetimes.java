package dev.cotenant.engine.lifetime;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.PredictionAdjustment;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Adds how long workloads stay: by past runs in their namespace, else by a prior. */
public final class ExpectedLifetimes implements PredictionAdjustment {
  private final PodLifetimes lifetimes;
  private final @Nullable Duration prior;

  /**
   * @param prior stay of workloads with fewer than two known runs; null for unknown
   */
  public ExpectedLifetimes(PodLifetimes lifetimes, @Nullable Duration prior) {
    this.lifetimes = lifetimes;
    this.prior = prior;
  }

  @Override
  public Prediction adjust(
      String namespace, Workload workload, Prediction prediction, Coverage level) {
    @Nullable Duration stay = lifetimes.of(namespace, workload).orElse(prior);
    return stay == null ? prediction : prediction.withLifetime(stay);
  }
}
