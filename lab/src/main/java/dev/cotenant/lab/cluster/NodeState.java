package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** What a node has left. */
final class NodeState {
  private final int index;
  private final ClusterTrace.Node node;
  private final int[] gpuMilliLeft;
  private long cpuMilliLeft;
  private long memoryBytesLeft;
  private int version;

  NodeState(int index, ClusterTrace.Node node) {
    this.index = index;
    this.node = node;
    gpuMilliLeft = new int[node.gpus()];
    Arrays.fill(gpuMilliLeft, ClusterTrace.WHOLE_GPU_MILLI);
    cpuMilliLeft = node.cpuMilli();
    memoryBytesLeft = node.memory().bytes();
  }

  NodeState(NodeState other) {
    index = other.index;
    node = other.node;
    gpuMilliLeft = other.gpuMilliLeft.clone();
    cpuMilliLeft = other.cpuMilliLeft;
    memoryBytesLeft = other.memoryBytesLeft;
    version = other.version;
  }

  /** Its place in the trace. */
  int index() {
    return index;
  }

  String name() {
    return node.name();
  }

  /** Grows with every change. */
  int version() {
    return version;
  }

  int gpus() {
    return gpuMilliLeft.length;
  }

  int gpuMilliLeft(int gpu) {
    return gpuMilliLeft[gpu];
  }

  long gpuMilliLeft() {
    return IntStream.of(gpuMilliLeft).asLongStream().sum();
  }

  long cpuMilliLeft() {
    return cpuMilliLeft;
  }

  /** Whether the host has enough free resources and its GPUs are of a permitted model. */
  boolean hostFits(ClusterTrace.Pod pod) {
    return pod.cpuMilli() <= cpuMilliLeft
        && pod.memory().bytes() <= memoryBytesLeft
        && (pod.models().isEmpty() || pod.models().contains(node.model()));
  }

  /** Whether it can run the pod. */
  boolean fits(ClusterTrace.Pod pod) {
    return hostFits(pod) && gpusFit(pod);
  }

  /** Whether enough GPUs have room. */
  boolean gpusFit(ClusterTrace.Pod pod) {
    int found = 0;
    for (int left : gpuMilliLeft) {
      found += left >= pod.gpuMilli() ? 1 : 0;
    }
    return found >= pod.gpus();
  }

  /** The first GPUs with room for a pod that takes whole ones, or one where it takes a share. */
  List<Integer> firstGpus(ClusterTrace.Pod pod) {
    return IntStream.range(0, gpuMilliLeft.length)
        .filter(gpu -> gpuMilliLeft[gpu] >= pod.gpuMilli())
        .limit(pod.gpus())
        .boxed()
        .toList();
  }

  void take(ClusterTrace.Pod pod, List<Integer> gpus) {
    cpuMilliLeft -= pod.cpuMilli();
    memoryBytesLeft -= pod.memory().bytes();
    for (int gpu : gpus) {
      gpuMilliLeft[gpu] -= pod.gpuMilli();
    }
    version++;
  }

  int gpusInUse() {
    return (int)
        IntStream.of(gpuMilliLeft).filter(left -> left < ClusterTrace.WHOLE_GPU_MILLI).count();
  }
}
