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
 * @param shared with the predictions that are trusted
 * @param alone with the others, as a request for a whole GPU; null where there are none
 */
record Trust(PlacementRequest.Share shared, PlacementRequest.@Nullable Whole alone) {

  static Trust split(PlacementRequest.Share asked) {
    Map<DeviceId, Prediction> trusted = new HashMap<>();
    Map<DeviceId, Prediction> others = new HashMap<>();
    asked
        .predictions()
        .forEach((device, prediction) ->
            (asked.limits().on(device).trust(prediction) ? trusted : others)
                .put(device, prediction));
    if (others.isEmpty()) {
      return new Trust(asked, null);
    }
    BoundsUncertain cause = new BoundsUncertain(best(others), least(asked.limits(), others));
    return new Trust(
        new PlacementRequest.Share(asked.workload(), trusted, asked.limits()),
        new PlacementRequest.Whole(asked.workload(), 1, cause, others));
  }

  /** The least coverage that would do on one of these products. */
  private static Coverage least(DeviceLimits limits, Map<DeviceId, Prediction> predictions) {
    return predictions.keySet().stream()
        .map(device -> limits.on(device).leastCoverage())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** The best coverage among them; null where all bounds are assumed. */
  private static @Nullable Coverage best(Map<DeviceId, Prediction> predictions) {
    return predictions.values().stream()
        .flatMap(prediction -> prediction.coverage().stream())
        .max(Comparator.naturalOrder())
        .orElse(null);
  }
}
