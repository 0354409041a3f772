package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import java.util.List;
import java.util.Optional;

/** No sharing: a request for a part of a GPU gets a whole one, in the order of nodes. */
final class Slots implements Packer {
  private final Packer first = new Scored(new Scored.First());

  @Override
  public ClusterTrace.Pod granted(ClusterTrace.Pod pod) {
    return pod.isShare()
        ? new ClusterTrace.Pod(
            pod.name(),
            pod.cpuMilli(),
            pod.memory(),
            1,
            ClusterTrace.WHOLE_GPU_MILLI,
            pod.models(),
            pod.createdSeconds())
        : pod;
  }

  @Override
  public Optional<Spot> choose(ClusterTrace.Pod pod, List<NodeState> nodes) {
    return first.choose(pod, nodes);
  }
}
