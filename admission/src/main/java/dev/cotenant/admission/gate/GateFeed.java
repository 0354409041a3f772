package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.state.PersistedState;
import java.util.Collection;

/**
 * The events of the cluster for the controller. Every event has the number of its term; events of
 * other terms than the current one are dropped.
 */
public interface GateFeed {
  /**
   * A term of this process begins.
   *
   * @param term greater than every earlier term of this process
   * @param pods all pods of all namespaces that request GPUs, have GPUs or have our gate, listed
   *     from the API server after the term began, without resource version, so not from a watch
   *     cache
   * @param nodes all nodes
   * @param persisted leader state of earlier terms, claimed after the term began, so that they
   *     cannot add to it
   */
  void begin(
      long term,
      Collection<WatchedPod> pods,
      Collection<WatchedNode> nodes,
      PersistedState persisted);

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

  /** Metrics are new. */
  void readingsRefreshed();

  /** Namespaces or policies have changed. */
  void policiesChanged();
}
