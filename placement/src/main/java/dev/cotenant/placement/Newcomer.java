package dev.cotenant.placement;

import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;

/**
 * A workload that would share a GPU of one product.
 *
 * @param prediction on the product
 * @param limits on the product
 * @param trust with whom it may share
 */
record Newcomer(Prediction prediction, SharingLimits limits, TrustDomain trust) {
  /** The workload of a request on a product that it has this prediction for. */
  static Newcomer of(PlacementRequest.Share request, DeviceId device, Prediction prediction) {
    return new Newcomer(prediction, request.limits().on(device), request.trust());
  }
}
