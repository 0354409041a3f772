package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * Neural matrix factorisation [He et al., WWW 2017, Figure 3] with 32 factors and three layers, on
 * MovieLens-1M.
 */
public final class NeuMf {
  private static final int USERS = 6040;
  private static final int ITEMS = 3706;
  private static final int FACTORS = 32;

  /** Widths of the layers; what enters the first is twice an embedding of its own. */
  private static final List<Integer> LAYERS = List.of(4 * FACTORS, 2 * FACTORS, FACTORS);

  private NeuMf() {}

  public static void addTo(GraphBuilder graph) {
    SequenceLayers layers = new SequenceLayers(graph);
    Tensor user = graph.integerInput("user", List.of());
    Tensor item = graph.integerInput("item", List.of());
    Tensor factors =
        graph.elementwise(
            "Mul",
            layers.embedding(user.name(), user.dims(), USERS, FACTORS),
            layers.embedding(item.name(), item.dims(), ITEMS, FACTORS));
    int width = LAYERS.getFirst();
    Tensor x =
        layers.concatFeatures(
            List.of(
                layers.embedding(user.name(), user.dims(), USERS, width),
                layers.embedding(item.name(), item.dims(), ITEMS, width)));
    for (int layer : LAYERS) {
      x = layers.relu(ImageLayers.gemm(graph, x, layer));
    }
    graph.output(ImageLayers.gemm(graph, layers.concatFeatures(List.of(factors, x)), 1));
  }
}
