package dev.cotenant.placement;

import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause.BoundsUncertain;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a share, parted by whether its limits trust the prediction's bounds.
 *
 * @param shared with trusted predictions
 * @param alone request for a whole GPU with the untrusted predictions; null without any
 */
record Trust(PlacementRequest.Share shared, PlacementRequest.@Nullable Whole alone) {

  static Trust split(PlacementRequest.Share request) {
    Map<DeviceId, Prediction> trusted = new HashMap<>();
    Map<DeviceId, Prediction> others = new HashMap<>();
    request
        .predictions()
        .forEach((device, prediction) ->
            (request.limits().on(device).trust(prediction) ? trusted : others)
                .put(device, prediction));
    if (others.isEmpty()) {
      return new Trust(request, null);
    }
    return new Trust(
        request.withPredictions(trusted),
        new PlacementRequest.Whole(request.workload(), 1, cause(request.limits(), others), others));
  }

  /**
   * Cause of distrust on the product with the smallest gap in coverage; of equal gaps, the one with
   * the lowest required coverage.
   */
  private static BoundsUncertain cause(DeviceLimits limits, Map<DeviceId, Prediction> predictions) {
    return predictions.entrySet().stream()
        .flatMap(
            predicted -> limits.on(predicted.getKey()).whyUncertain(predicted.getValue()).stream())
        .min(Comparator.comparingDouble(Trust::wanting).thenComparing(BoundsUncertain::least))
        .orElseThrow();
  }

  /** How much coverage is wanting; infinite where bounds are assumed. */
  private static double wanting(BoundsUncertain cause) {
    Coverage coverage = cause.coverage();
    return coverage == null
        ? Double.POSITIVE_INFINITY
        : cause.least().fraction() - coverage.fraction();
  }
}
