package dev.cotenant.admission.cluster;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod of the API server.
 *
 * @param uid its uid
 * @param resourceVersion of this state; opaque
 * @param pod its name
 * @param request its request to Cotenant
 * @param annotations those with prefix {@code cotenant.dev/} and those of other GPU systems, see
 *     {@link ForeignGpus#ANNOTATIONS}
 * @param scheduling its gates, requirements and node
 * @param life its phase and times
 * @param hasAnnotations whether {@code metadata.annotations} is present
 * @param footprint its requests, ports, labels and claims on its node
 */
public record WatchedPod(
    String uid,
    String resourceVersion,
    PodIdentity pod,
    PodRequest request,
    Map<String, String> annotations,
    Scheduling scheduling,
    Life life,
    boolean hasAnnotations,
    Footprint footprint)
    implements ClusterPod {
  /** Our scheduling gate. */
  public static final String GATE = "cotenant.dev/colocation";

  public WatchedPod {
    annotations = Map.copyOf(annotations);
  }

  /**
   * The scheduling of a pod.
   *
   * @param gates names of its scheduling gates, in their order
   * @param node its node; null while unbound
   * @param requirements on nodes
   * @param priority of its priority class; 0 without one
   * @param hasNodeSelector whether {@code spec.nodeSelector} is present
   * @param schedulerName the scheduler that places it; {@link #DEFAULT_SCHEDULER} where it names
   *     none
   * @param preempts whether it may preempt others ({@code spec.preemptionPolicy} is not {@code
   *     Never})
   */
  public record Scheduling(
      List<String> gates,
      @Nullable String node,
      NodeRequirements requirements,
      int priority,
      boolean hasNodeSelector,
      String schedulerName,
      boolean preempts) {
    /** The scheduler of pods that name none. */
    public static final String DEFAULT_SCHEDULER = "default-scheduler";

    public Scheduling {
      gates = List.copyOf(gates);
    }

    /** A pod with the default preemption policy, which may preempt. */
    public Scheduling(
        List<String> gates,
        @Nullable String node,
        NodeRequirements requirements,
        int priority,
        boolean hasNodeSelector,
        String schedulerName) {
      this(gates, node, requirements, priority, hasNodeSelector, schedulerName, true);
    }
  }

  /**
   * The life of a pod.
   *
   * @param createdAt its creation
   * @param startedAt the start of its containers; null before
   * @param phase by its node
   * @param terminating whether deletion has begun; the pod keeps its capacity until it is gone
   * @param outOfMemory whether a container was killed for lack of memory
   * @param owner kind and name of its controller, {@code ReplicaSet/infer-589c465944}; null without
   *     one
   * @param unschedulable the scheduler's refusal; null while there is none
   */
  public record Life(
      Instant createdAt,
      @Nullable Instant startedAt,
      Phase phase,
      boolean terminating,
      boolean outOfMemory,
      @Nullable String owner,
      @Nullable Unschedulable unschedulable) {
    /** A pod that the scheduler has not refused. */
    public Life(
        Instant createdAt,
        @Nullable Instant startedAt,
        Phase phase,
        boolean terminating,
        boolean outOfMemory,
        @Nullable String owner) {
      this(createdAt, startedAt, phase, terminating, outOfMemory, owner, null);
    }
  }

  /**
   * The condition {@code PodScheduled} with status {@code False} and reason {@code Unschedulable}.
   *
   * @param since the time of the last transition
   * @param message of the scheduler
   * @param preemptsOn the node where the scheduler preempts other pods for it ({@code
   *     status.nominatedNodeName}); null where it does not
   */
  public record Unschedulable(Instant since, String message, @Nullable String preemptsOn) {}

  /** The phase of a pod. */
  public enum Phase {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED;

    /** Whether all containers have ended for good. */
    public boolean isFinished() {
      return this == SUCCEEDED || this == FAILED;
    }
  }

  /** Whether our gate is its only gate. */
  public boolean isGatedByUsAlone() {
    return scheduling.gates().equals(List.of(GATE));
  }

  /** Whether our gate is present. */
  public boolean hasOurGate() {
    return scheduling.gates().contains(GATE);
  }

  /** Whether it may still use a GPU. */
  public boolean isLive() {
    return !life.phase().isFinished();
  }

  /** Namespace, kind and name of its controller; null without one. */
  public @Nullable String controller() {
    return life.owner() == null ? null : pod.namespace() + "/" + life.owner();
  }
}
