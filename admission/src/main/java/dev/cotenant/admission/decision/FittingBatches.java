package dev.cotenant.admission.decision;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Share;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The batch with which a service keeps its objective in the least share of a device [iGniter,
 * theorem 1], among those that InSS searches, 1 to 32 [InSS, Algorithm 1], and whose memory fits.
 *
 * <p>Not by bisection, as InSS does: between a batch that is too slow and one that serves too few
 * requests the least share may lie anywhere.
 */
public final class FittingBatches {
  private static final List<Integer> BATCHES =
      List.of(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32);

  private FittingBatches() {}

  /**
   * By device, the best batch that meets the objective: the one with the smallest share, then with
   * the largest tolerated slowdown, then the smallest batch.
   *
   * @param answered predictions at a batch with their objective answers; empty if this round's
   *     effort is exceeded
   * @param fits whether the memory of a prediction fits
   * @return empty where the effort does not suffice
   */
  public static Optional<Map<DeviceId, Prediction>> of(
      IntFunction<Optional<Map<DeviceId, Prediction>>> answered, Predicate<Prediction> fits) {
    Map<DeviceId, Prediction> best = new HashMap<>();
    for (int batch : BATCHES) {
      @Nullable Map<DeviceId, Prediction> all = answered.apply(batch).orElse(null);
      if (all == null) {
        return Optional.empty();
      }
      all.forEach((device, prediction) -> {
        if (prediction.service() != null
            && !prediction.missesObjective()
            && fits.test(prediction)) {
          best.merge(device, prediction, FittingBatches::less);
        }
      });
    }
    return Optional.of(best);
  }

  private static Prediction less(Prediction smaller, Prediction larger) {
    int order = share(larger).compareTo(share(smaller));
    boolean better = order < 0 || (order == 0 && slack(larger) > slack(smaller));
    return better ? larger : smaller;
  }

  private static double slack(Prediction prediction) {
    ObjectivePrediction service = prediction.service();
    return service == null ? 0 : service.mostSlowdown();
  }

  private static Share share(Prediction prediction) {
    ObjectivePrediction service = prediction.service();
    return service == null ? Share.WHOLE : service.share();
  }

  /** Adds to predictions that miss the objective the batch and share that meet it. */
  static Map<DeviceId, Prediction> advised(
      Map<DeviceId, Prediction> missed, Map<DeviceId, Prediction> best) {
    Map<DeviceId, Prediction> advised = new HashMap<>(missed);
    advised.replaceAll((device, prediction) -> {
      @Nullable Prediction fitting = best.get(device);
      @Nullable ObjectivePrediction service = prediction.service();
      return fitting == null || service == null
          ? prediction
          : prediction.withService(
              service.withFitting(
                  new ObjectivePrediction.Fitting(fitting.batchSize(), share(fitting))));
    });
    return advised;
  }
}
