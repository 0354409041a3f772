package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.state.PersistedState;
import java.util.Collection;

/**
 * What the controller is told about the cluster. Every message carries the number of the leader's
 * term that it belongs to; those of another term than the current one are dropped.
 */
public interface GateFeed {
  /**
   * This process leads from now on.
   *
   * @param term greater than that of every earlier term of this process
   * @param pods all pods that ask for a GPU, that have one or that our gate holds, in every
   *     namespace, as the API server had them after the term began: a list without resource
   *     version, not one out of a watch cache
   * @param nodes all nodes
   * @param kept what earlier leaders left, taken over after the term began, so that they can add
   *     nothing to it any more
   */
  void begin(
      long term, Collection<WatchedPod> pods, Collection<WatchedNode> nodes, PersistedState kept);

  /** This process leads from now on, and nobody left anything. */
  default void begin(long term, Collection<WatchedPod> pods, Collection<WatchedNode> nodes) {
    begin(term, pods, nodes, PersistedState.NOTHING);
  }

  /** This process leads no longer. */
  void end(long term);

  /** A pod is new or has changed. */
  void podSeen(long term, WatchedPod pod);

  /** A pod is gone from the API server, not just being deleted. */
  void podGone(long term, String uid);

  /** A node is new or has changed. */
  void nodeSeen(long term, WatchedNode node);

  /** A node is gone. */
  void nodeGone(long term, String name);

  /** Measurements are new. */
  void readingsRefreshed();

  /** Namespaces or policies have changed. */
  void policiesChanged();
}
