package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes the spot where fragmentation grows least [FGD (ATC'23), Algorithm 1]; of equals the first
 * node and GPU.
 */
final class FragmentationDescent implements Packer {
  /*
   * What a kind of pod would change on a node is remembered until the node changes: a placement
   * changes one node, so that a pod like one before costs as many evaluations as placements have
   * gone between.
   */
  private final Fragmentation fragmentation;
  private final Map<PodKind, Remembered> remembered = new HashMap<>();

  FragmentationDescent(Fragmentation fragmentation) {
    this.fragmentation = fragmentation;
  }

  /** By node: the least growth, the GPU that gives it, and the version that this holds for. */
  private static final class Remembered {
    private final double[] growth;
    private final int[] gpu;
    private final int[] version;

    Remembered(int nodes) {
      growth = new double[nodes];
      gpu = new int[nodes];
      version = new int[nodes];
      Arrays.fill(version, -1);
    }
  }

  @Override
  public Optional<Spot> choose(ClusterTrace.Pod pod, List<NodeState> nodes) {
    Remembered known =
        remembered.computeIfAbsent(PodKind.of(pod), _ -> new Remembered(nodes.size()));
    double least = Double.POSITIVE_INFINITY;
    int best = -1;
    for (int i = 0; i < nodes.size(); i++) {
      NodeState node = nodes.get(i);
      if (known.version[i] != node.version()) {
        evaluate(pod, node, known, i);
      }
      if (known.growth[i] < least) {
        least = known.growth[i];
        best = i;
      }
    }
    if (best < 0) {
      return Optional.empty();
    }
    NodeState node = nodes.get(best);
    return Optional.of(
        new Spot(node, pod.isShare() ? List.of(known.gpu[best]) : node.firstGpus(pod)));
  }

  private void evaluate(ClusterTrace.Pod pod, NodeState node, Remembered known, int i) {
    known.version[i] = node.version();
    known.growth[i] = Double.POSITIVE_INFINITY;
    if (!node.fits(pod)) {
      return;
    }
    double before = fragmentation.expectedMilli(node);
    if (!pod.isShare()) {
      known.growth[i] = after(pod, node, node.firstGpus(pod)) - before;
      return;
    }
    for (int gpu = 0; gpu < node.gpus(); gpu++) {
      if (node.gpuMilliLeft(gpu) >= pod.gpuMilli()) {
        double growth = after(pod, node, List.of(gpu)) - before;
        if (growth < known.growth[i]) {
          known.growth[i] = growth;
          known.gpu[i] = gpu;
        }
      }
    }
  }

  private double after(ClusterTrace.Pod pod, NodeState node, List<Integer> gpus) {
    NodeState after = new NodeState(node);
    after.take(pod, gpus);
    return fragmentation.expectedMilli(after);
  }
}
