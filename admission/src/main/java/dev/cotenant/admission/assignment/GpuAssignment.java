package dev.cotenant.admission.assignment;

import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Decision;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a pod gets onto its granted GPU: the supported nodes, and the written annotations.
 *
 * <p>With the stock device plugin the kubelet chooses the GPU, and gives each to one container only
 * unless the plugin offers it several times. So by node alone
 *
 * <ul>
 *   <li>a share is granted only on a node with exactly one GPU: there is nothing to choose;
 *   <li>a whole GPU is granted on any node, but counts as one of the node's, not as the one that
 *       was named: the kubelet takes whichever is free. It does not go to nodes with a shared GPU
 *       of another GPU assignment, since the kubelet could choose that one.
 * </ul>
 *
 * The other adapters choose the GPU by its uuid. They do not use nodes with several GPUs on which
 * the kubelet has chosen one, nor GPUs whose uuid is not in the metrics yet.
 */
public interface GpuAssignment {
  /** The adapter of a policy. */
  static GpuAssignment of(Policy.GpuAssignment choice) {
    return switch (choice) {
      case NODE_ONLY -> NodeOnly.INSTANCE;
      case HAMI -> Hami.INSTANCE;
      case DRA -> ResourceClaims.INSTANCE;
      case VISIBLE_DEVICES -> VisibleDevices.INSTANCE;
    };
  }

  /** Whether it selects the GPU of a node. */
  boolean choosesGpu();

  /** Whether pods can share GPUs of a node with this number of GPUs. */
  default boolean canShare(int gpus) {
    return choosesGpu() || gpus == 1;
  }

  /**
   * Why pods cannot be sent to a node; empty where they can.
   *
   * @param gpus how many the node has
   */
  Optional<String> whyNot(Extent extent, int gpus, NodeUse use);

  /** Annotations specific to the assignment; those of the grant are separate. */
  Map<String, String> annotations(Colocatable pod, Decision.Admitted granted);

  /** Warnings for the Events of the pod, one line each. */
  List<String> warnings(Colocatable pod, Decision.Admitted granted);

  /** Names of all annotations that adapters write; leftovers of them are removed. */
  List<String> WRITTEN = List.of(Hami.USE_UUID, CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE);
}
