package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import java.util.List;

/** What pods that are alike ask for. */
record PodKind(long cpuMilli, long memoryBytes, int gpus, int gpuMilli, List<String> models) {
  static PodKind of(ClusterTrace.Pod pod) {
    return new PodKind(
        pod.cpuMilli(), pod.memory().bytes(), pod.gpus(), pod.gpuMilli(), pod.models());
  }
}
