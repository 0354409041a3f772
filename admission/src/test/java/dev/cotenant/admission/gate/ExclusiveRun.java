package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The same pods on the same nodes, each with GPUs of its own, in the order of their creation. */
final class ExclusiveRun {
  private final RandomCluster cluster;
  private final FakeGpus gpus;
  private final Map<String, Integer> free = new HashMap<>();
  private final List<StoredPod> pods = new ArrayList<>();

  ExclusiveRun(int seed) {
    cluster = new RandomCluster(seed);
    gpus = new FakeGpus(cluster.nodes);
    cluster.nodes.forEach(node -> free.put(node.name(), node.uuids().size()));
  }

  /** The number of pods that run. */
  int running(int count) {
    GateBench names = new GateBench(gpus);
    for (int i = 0; i < count; i++) {
      pods.add(cluster.pod(names));
      pods.forEach(this::place);
    }
    return (int) pods.stream().filter(pod -> pod.node != null).count();
  }

  private void place(StoredPod pod) {
    if (pod.node != null) {
      return;
    }
    int wanted = ((Colocatable) pod.request).gpu().gpus();
    if (free.values().stream().noneMatch(gpus -> gpus >= wanted)) {
      return;
    }
    new ReferenceFilters(gpus.nodes(), pods)
        .feasible(pod).stream()
            .map(WatchedNode::name)
            .filter(node -> free.getOrDefault(node, 0) >= wanted)
            .findFirst()
            .ifPresent(node -> {
              pod.node = node;
              free.merge(node, -wanted, Integer::sum);
            });
  }
}
