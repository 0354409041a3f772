package dev.cotenant.admission.gate.port;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.guard.Incident;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Port: receives the controller's actions for metrics and logs. Called on the controller's thread;
 * implementations are quick and never throw.
 */
public interface GateListener {
  /** Listens to nothing. */
  GateListener NONE = new GateListener() {};

  /**
   * Runs a decision about a pod and its ungating; implementations run {@code work} exactly once,
   * synchronously. A held pod is decided on again and again.
   */
  default void deciding(WatchedPod pod, Runnable work) {
    work.run();
  }

  /**
   * The result on a pod is new or has changed, or was granted; once for each change.
   *
   * @param request what was decided on; null where that is not known, or nothing was
   */
  default void decided(WatchedPod pod, @Nullable PlacementRequest request, Decision decision) {}

  /**
   * A pod was granted capacity and ungated.
   *
   * @param waited since our gate alone was on it
   * @param sinceFitting since the scheduling cycle of the decision began
   */
  default void granted(WatchedPod pod, Duration waited, Duration sinceFitting) {}

  /** A pod was ungated without a grant. */
  default void ungatedUnmanaged(WatchedPod pod, String why) {}

  /** A pod changed between decision and grant; it is decided on again. */
  default void conflicted(WatchedPod pod) {}

  /** The API server refused a write, or did not answer. */
  default void writeFailed(WatchedPod pod, String why) {}

  /**
   * A write of the leader state was rejected or timed out; its dependent operations are dropped.
   */
  default void stateNotWritten(String why) {}

  /** A granted pod has no node for a long time. */
  default void leaked(WatchedPod pod, Duration since) {}

  /** A granted pod ran out of memory. */
  default void ranOutOfMemory(WatchedPod pod) {}

  /**
   * The profile time of a pod has ended; once per pod.
   *
   * @param spent how long the GPU was closed to others
   * @param measured whether its configuration is known by measurements now
   */
  default void profiled(WatchedPod pod, Duration spent, boolean measured) {}

  /** A pod was measured beyond its limit for the guard's time; once for each cause. */
  default void guarded(WatchedPod victim, Incident incident) {}

  /** The guard's eviction of a pod was answered. */
  default void moved(WatchedPod newcomer, Moved outcome) {}

  /** The outcome of an eviction by the guard. */
  enum Moved {
    /** It was evicted. */
    EVICTED,
    /** A PodDisruptionBudget protects it; it is tried again. */
    BLOCKED,
    /** The API server refused. */
    REFUSED
  }

  /** The grant annotations of a pod are unreadable or exceed the capacity. */
  default void distrusted(WatchedPod pod, String why) {}

  /**
   * A pod gave way to one of higher priority, or should have.
   *
   * @param victim the pod of lower priority
   */
  default void preempted(WatchedPod victim, Preempted outcome) {}

  /** The outcome of a preemption for a victim. */
  enum Preempted {
    /** Its nomination has ended. */
    DISPLACED,
    /** It was evicted. */
    EVICTED,
    /** A PodDisruptionBudget protects it. */
    BLOCKED,
    /** The API server refused the eviction. */
    REFUSED
  }

  /** A scheduling cycle is over. */
  default void cycled(Duration took) {}

  /** A defect ended a cycle or the handling of an event; the next one continues. */
  default void failed(RuntimeException defect) {}
}
