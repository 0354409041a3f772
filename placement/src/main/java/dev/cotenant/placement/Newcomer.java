package dev.cotenant.placement;

import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Duration;

/**
 * A workload that would share a GPU of one product.
 *
 * @param name such as {@code team-a/resnet50-train}
 * @param prediction on the product
 * @param limits on the product, at most the slowdown that its latency objective stands
 * @param trust with whom it may share
 */
record Newcomer(String name, Prediction prediction, SharingLimits limits, TrustDomain trust) {
  /**
   * The workload of a request with its prediction for a product. A latency objective limits its
   * slowdown as well.
   */
  static Newcomer of(PlacementRequest.Share request, DeviceId device, Prediction prediction) {
    SharingLimits limits = request.limits().on(device);
    ObjectivePrediction service = prediction.service();
    return new Newcomer(
        request.workload(),
        prediction,
        service == null || service.isMissed()
            ? limits
            : limits.withSlowdownAtMost(Slowdown.ofRatio(service.mostSlowdown())),
        request.trust());
  }

  /** The same with its latency objective met in a smaller share, which stands less slowdown. */
  Newcomer in(ObjectivePrediction.SmallerShare smaller) {
    return new Newcomer(
        name,
        prediction.in(smaller),
        limits.withSlowdownAtMost(Slowdown.ofRatio(smaller.mostSlowdown())),
        trust);
  }

  /** Copy for a trial. */
  Newcomer exploring() {
    return new Newcomer(name, prediction, limits.withRisk(limits.risk().exploring()), trust);
  }

  /** Whether a trial is looked for. */
  boolean isExploring() {
    return limits.risk().exploration().isOne();
  }

  /** Whether it is to be measured alone before it shares. */
  boolean isProfiled() {
    return limits.profiles(prediction);
  }

  /** Whether it is expected to stay for longer than that. */
  boolean staysBeyond(Duration time) {
    Duration stay = prediction.stay();
    return stay == null || stay.compareTo(time) > 0;
  }

  /** Its namespace; empty where its name has none. */
  String namespace() {
    return name.substring(0, Math.max(0, name.indexOf('/')));
  }
}
