package dev.cotenant.admission.gate;

import dev.cotenant.domain.decision.Decision;
import java.time.Duration;

/**
 * Port: is told what the controller did, for metrics and logs. Called on the controller's thread;
 * must be quick and must not throw.
 */
public interface GateListener {
  /** Listens to nothing. */
  GateListener NONE = new GateListener() {};

  /** A pod's verdict is new or has changed; refusals come once, not with every pass. */
  default void decided(WatchedPod pod, Decision decision) {}

  /**
   * A pod was granted room and let go.
   *
   * @param held since it was held by us alone
   * @param sinceFitting since the pass that found room for it began
   */
  default void granted(WatchedPod pod, Duration held, Duration sinceFitting) {}

  /** A pod was let go without a grant. */
  default void letGo(WatchedPod pod, String why) {}

  /** Somebody changed a pod between decision and grant; it is decided on again. */
  default void conflicted(WatchedPod pod) {}

  /** The API server refused a write, or its answer did not come. */
  default void writeFailed(WatchedPod pod, String why) {}

  /** Room was granted long ago to a pod that is still on no node. */
  default void leaked(WatchedPod pod, Duration since) {}

  /** A granted pod ran out of memory. */
  default void ranOutOfMemory(WatchedPod pod) {}

  /** A pod's annotations of a grant cannot be read, or claim more than there is. */
  default void distrusted(WatchedPod pod, String why) {}

  /** A pass is over. */
  default void passed(Duration took) {}

  /** A defect of ours ended a pass or the handling of a message; the next one goes on. */
  default void failed(RuntimeException defect) {}
}
