package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.state.PersistedState;
import java.util.Collection;
import java.util.List;

/**
 * Cluster events for the controller. Every event carries the number of its term; events of other
 * terms are dropped.
 */
public interface GateFeed {
  /**
   * A term of this process begins.
   *
   * @param term greater than every earlier term of this process
   * @param listed the objects of the cluster, listed from the API server after the term began,
   *     without resource version, so not from a watch cache
   * @param persisted leader state of earlier terms, claimed after the term began, so that they
   *     cannot add to it
   */
  void begin(long term, Listed listed, PersistedState persisted);

  /**
   * The objects of a cluster.
   *
   * @param pods all pods of all namespaces that request GPUs, have GPUs or have our gate
   * @param nodes all nodes
   * @param others all other bound pods, and volumes
   */
  record Listed(
      Collection<WatchedPod> pods,
      Collection<WatchedNode> nodes,
      Collection<ClusterChange> others) {}

  /** A term begins in a cluster of GPU pods and nodes. */
  default void begin(
      long term,
      Collection<WatchedPod> pods,
      Collection<WatchedNode> nodes,
      PersistedState persisted) {
    begin(term, new Listed(pods, nodes, List.of()), persisted);
  }

  /** A term begins without persisted state. */
  default void begin(long term, Collection<WatchedPod> pods, Collection<WatchedNode> nodes) {
    begin(term, pods, nodes, PersistedState.NOTHING);
  }

  /** The term has ended. */
  void end(long term);

  /** A pod is new or has changed. */
  void podSeen(long term, WatchedPod pod);

  /** A pod is removed from the API server, not only terminating. */
  void podGone(long term, String uid);

  /** A node is new or has changed. */
  void nodeSeen(long term, WatchedNode node);

  /** A node is gone. */
  void nodeGone(long term, String name);

  /** An object that concerns the fit of pods has changed. */
  void changed(long term, ClusterChange change);

  /** Metrics are new. */
  void readingsRefreshed();

  /** Namespaces or policies have changed. */
  void policiesChanged();
}
