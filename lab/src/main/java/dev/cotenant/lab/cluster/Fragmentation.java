package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of a node's free GPU time a pod of the workload is expected to find useless, in
 * thousandths of GPUs.
 */
final class Fragmentation {
  /*
   * F_n = sum over kinds of pods m of p_m F_n(m) [FGD (ATC'23), section 3]: where the node cannot
   * run m, or m wants no GPU, all that is free is a fragment to m; else what is free on GPUs that
   * have less left than m wants of one. p_m is the share of the trace's pods that are like m. As in
   * the authors' scheduler the least popular kinds are left out, up to 5 % of all pods. Deviation:
   * the memory of hosts counts too. O(kinds * GPUs).
   */
  private static final double COUNTED = 0.95;

  private final List<Kind> kinds = new ArrayList<>();

  private record Kind(ClusterTrace.Pod pod, double share) {}

  Fragmentation(List<ClusterTrace.Pod> workload) {
    Map<PodKind, List<ClusterTrace.Pod>> alike = new LinkedHashMap<>();
    workload.forEach(
        pod -> alike.computeIfAbsent(PodKind.of(pod), _ -> new ArrayList<>()).add(pod));
    List<List<ClusterTrace.Pod>> popular =
        alike.values().stream()
            .sorted(Comparator.comparingInt((List<ClusterTrace.Pod> pods) -> -pods.size()))
            .toList();
    double counted = 0;
    for (List<ClusterTrace.Pod> pods : popular) {
      if (counted < COUNTED * workload.size()) {
        kinds.add(new Kind(pods.getFirst(), pods.size()));
        counted += pods.size();
      }
    }
    double all = counted;
    kinds.replaceAll(kind -> new Kind(kind.pod, kind.share / all));
  }

  double expectedMilli(NodeState node) {
    long free = node.gpuMilliLeft();
    double expected = 0;
    for (Kind kind : kinds) {
      expected += kind.share * useless(node, kind.pod, free);
    }
    return expected;
  }

  private static long useless(NodeState node, ClusterTrace.Pod pod, long free) {
    if (pod.gpus() == 0 || !node.fits(pod)) {
      return free;
    }
    long useless = 0;
    for (int gpu = 0; gpu < node.gpus(); gpu++) {
      int left = node.gpuMilliLeft(gpu);
      useless += left < pod.gpuMilli() ? left : 0;
    }
    return useless;
  }
}
