package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import java.util.List;
import java.util.Optional;

/** Who decides on which node and GPUs a pod runs. */
interface Packer {
  /** A node and its selected GPUs; no GPUs for a pod without a GPU request. */
  record Spot(NodeState node, List<Integer> gpus) {}

  /** What the pod takes; the same unless the policy gives more than is requested. */
  default ClusterTrace.Pod granted(ClusterTrace.Pod pod) {
    return pod;
  }

  /** Where it goes, if it fits anywhere; the caller takes that capacity. */
  Optional<Spot> choose(ClusterTrace.Pod pod, List<NodeState> nodes);
}
