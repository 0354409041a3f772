package dev.cotenant.admission.cluster;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod as the API server shows it, as far as it matters here.
 *
 * @param uid the API server's
 * @param resourceVersion of this state; opaque
 * @param pod its name
 * @param request what it asks of us
 * @param annotations those that start with {@code cotenant.dev/} and those by which other systems
 *     say which GPU a pod has, see {@link ForeignGpus#ANNOTATIONS}
 * @param scheduling where it may run and where it runs
 * @param life how far it has come
 * @param hasAnnotations whether {@code metadata.annotations} is there, with whichever content
 */
public record WatchedPod(
    String uid,
    String resourceVersion,
    PodIdentity pod,
    PodRequest request,
    Map<String, String> annotations,
    Scheduling scheduling,
    Life life,
    boolean hasAnnotations) {
  /** Our scheduling gate. */
  public static final String GATE = "cotenant.dev/colocation";

  /** Of a pod that has annotations, whichever. */
  public WatchedPod(
      String uid,
      String resourceVersion,
      PodIdentity pod,
      PodRequest request,
      Map<String, String> annotations,
      Scheduling scheduling,
      Life life) {
    this(uid, resourceVersion, pod, request, annotations, scheduling, life, true);
  }

  public WatchedPod {
    annotations = Map.copyOf(annotations);
  }

  /**
   * Where a pod may run and where it runs.
   *
   * @param gates names of its scheduling gates, in their order
   * @param node where it was bound to; null while it is not
   * @param requirements what nodes must be like
   * @param priority of its priority class; 0 where it has none
   * @param hasNodeSelector whether {@code spec.nodeSelector} is there, empty or not
   */
  public record Scheduling(
      List<String> gates,
      @Nullable String node,
      NodeRequirements requirements,
      int priority,
      boolean hasNodeSelector) {
    public Scheduling {
      gates = List.copyOf(gates);
    }
  }

  /**
   * How far a pod has come.
   *
   * @param createdAt when it was created
   * @param startedAt when its containers started; null while they have not
   * @param phase as its node says
   * @param terminating whether it is being deleted; it holds its capacity until it is gone
   * @param outOfMemory whether a container of it was killed for lack of memory
   * @param owner kind and name of the controller that makes a new one in its place, {@code
   *     ReplicaSet/infer-589c465944}; null where none does
   */
  public record Life(
      Instant createdAt,
      @Nullable Instant startedAt,
      Phase phase,
      boolean terminating,
      boolean outOfMemory,
      @Nullable String owner) {}

  /** As a pod's node says. */
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

  /** Whether only our gate keeps the scheduler from it. */
  public boolean isHeldByUsAlone() {
    return scheduling.gates().equals(List.of(GATE));
  }

  /** Whether our gate is among its gates. */
  public boolean hasOurGate() {
    return scheduling.gates().contains(GATE);
  }

  /** Whether it may still use a GPU. */
  public boolean isLive() {
    return !life.phase().isFinished();
  }
}
