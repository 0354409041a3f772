package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;

/**
 * Port: is told what the controller did, for metrics and logs. Called on the controller's thread;
 * must be quick and must not throw.
 */
public interface GateListener {
  /** Listens to nothing. */
  GateListener NONE = new GateListener() {};

  /** A pod's verdict is new or has changed; refusals are reported once, not with every cycle. */
  default void decided(WatchedPod pod, Decision decision) {}

  /**
   * A pod was granted capacity and ungated.
   *
   * @param held since it was held by us alone
   * @param sinceFitting since the scheduling cycle of the decision began
   */
  default void granted(WatchedPod pod, Duration held, Duration sinceFitting) {}

  /** A pod was ungated without a grant. */
  default void ungatedUnmanaged(WatchedPod pod, String why) {}

  /** Somebody changed a pod between decision and grant; it is decided on again. */
  default void conflicted(WatchedPod pod) {}

  /** The API server refused a write, or its answer did not come. */
  default void writeFailed(WatchedPod pod, String why) {}

  /** Capacity was granted long ago to a pod that is still on no node. */
  default void leaked(WatchedPod pod, Duration since) {}

  /** A granted pod ran out of memory. */
  default void ranOutOfMemory(WatchedPod pod) {}

  /** A pod's annotations of a grant cannot be read, or claim more than there is. */
  default void distrusted(WatchedPod pod, String why) {}

  /** A scheduling cycle is over. */
  default void cycled(Duration took) {}

  /** A defect of ours ended a pass or the handling of a message; the next one goes on. */
  default void failed(RuntimeException defect) {}
}
