package dev.cotenant.lab.cluster;

import dev.cotenant.datasets.cluster.ClusterTrace;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes the spot with the least score; of equals the first node and the first GPU. */
final class Scored implements Packer {
  private final Score score;

  Scored(Score score) {
    this.score = score;
  }

  /** What a spot is worth; less is better. */
  interface Score {
    /**
     * The score of a spot.
     *
     * @param gpu the shared GPU, with enough left; −1 for pods that get the first suitable GPUs or
     *     none
     */
    double of(NodeState node, ClusterTrace.Pod pod, int gpu);

    /** Whether nothing after the first node with room can be better. */
    default boolean firstNodeWins() {
      return false;
    }
  }

  /** In the order of nodes, on the GPU with the least left. */
  record Tightest() implements Score {
    @Override
    public double of(NodeState node, ClusterTrace.Pod pod, int gpu) {
      return gpu < 0 ? 0 : node.gpuMilliLeft(gpu);
    }

    @Override
    public boolean firstNodeWins() {
      return true;
    }
  }

  /** In the order of nodes and GPUs. */
  record First() implements Score {
    @Override
    public double of(NodeState node, ClusterTrace.Pod pod, int gpu) {
      return 0;
    }

    @Override
    public boolean firstNodeWins() {
      return true;
    }
  }

  /** The least left of the GPU, of the node's GPUs or, without any, of its cores. */
  static double left(NodeState node, ClusterTrace.Pod pod, int gpu) {
    if (gpu >= 0) {
      return node.gpuMilliLeft(gpu);
    }
    return pod.gpus() == 0 ? node.cpuMilliLeft() : node.gpuMilliLeft();
  }

  @Override
  public Optional<Spot> choose(ClusterTrace.Pod pod, List<NodeState> nodes) {
    double least = Double.POSITIVE_INFINITY;
    @Nullable Spot best = null;
    for (NodeState node : nodes) {
      if (!node.fits(pod)) {
        continue;
      }
      if (!pod.isShare()) {
        double value = score.of(node, pod, -1);
        if (value < least) {
          least = value;
          best = new Spot(node, node.firstGpus(pod));
        }
      }
      for (int gpu = 0; pod.isShare() && gpu < node.gpus(); gpu++) {
        if (node.gpuMilliLeft(gpu) >= pod.gpuMilli()) {
          double value = score.of(node, pod, gpu);
          if (value < least) {
            least = value;
            best = new Spot(node, List.of(gpu));
          }
        }
      }
      if (best != null && score.firstNodeWins()) {
        return Optional.of(best);
      }
    }
    return Optional.ofNullable(best);
  }
}
