package dev.cotenant.placement;

import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;

/**
 * A workload that would share a GPU of one product.
 *
 * @param name such as {@code team-a/resnet50-train}
 * @param prediction on the product
 * @param limits on the product
 * @param trust with whom it may share
 */
record Newcomer(String name, Prediction prediction, SharingLimits limits, TrustDomain trust) {
  /** The workload of a request on a product that it has this prediction for. */
  static Newcomer of(PlacementRequest.Share request, DeviceId device, Prediction prediction) {
    return new Newcomer(
        request.workload(), prediction, request.limits().on(device), request.trust());
  }

  /** Its namespace; empty where its name has none. */
  String namespace() {
    return name.substring(0, Math.max(0, name.indexOf('/')));
  }
}
