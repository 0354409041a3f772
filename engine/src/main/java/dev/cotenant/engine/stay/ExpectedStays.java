package dev.cotenant.engine.stay;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Predicts how long workloads stay, by past runs in their namespace, else by a prior; everything
 * else is another predictor's.
 */
public final class ExpectedStays implements WorkloadPredictor {
  private final WorkloadPredictor others;
  private final Stays stays;
  private final @Nullable Duration prior;

  /**
   * @param prior the stay of workloads of which less than two runs are known; null where nothing is
   *     known of theirs
   */
  public ExpectedStays(WorkloadPredictor others, Stays stays, @Nullable Duration prior) {
    this.others = others;
    this.stays = stays;
    this.prior = prior;
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return staying(others.predict(workload, devices, level), prior);
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    return staying(
        others.predictIn(namespace, workload, devices, level),
        stays.of(namespace, workload).orElse(prior));
  }

  private static Outcome staying(Outcome outcome, @Nullable Duration stay) {
    if (stay == null
        || !(outcome instanceof Outcome.Predicted(Map<DeviceId, Prediction> predicted))) {
      return outcome;
    }
    Map<DeviceId, Prediction> staying = new HashMap<>(predicted);
    staying.replaceAll((_, prediction) -> prediction.withStay(stay));
    return new Outcome.Predicted(staying);
  }
}
