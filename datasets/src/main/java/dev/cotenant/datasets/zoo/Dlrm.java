package dev.cotenant.datasets.zoo;

import java.util.ArrayList;
import java.util.List;

/**
 * The recommendation model of [Naumov et al., arXiv:1906.00091] in its setting for Criteo Kaggle:
 * 26 tables of 16 features, layers 13-512-256-64-16 below and 512-256-1 above.
 */
final class Dlrm {
  /** Rows of the tables: distinct values of each categorical column of the set. */
  private static final List<Integer> TABLES =
      List.of(
          1460,
          583,
          10_131_227,
          2_202_608,
          305,
          24,
          12_517,
          633,
          3,
          93_145,
          5683,
          8_351_593,
          3194,
          27,
          14_992,
          5_461_306,
          10,
          5652,
          2173,
          4,
          7_046_547,
          18,
          15,
          286_181,
          105,
          142_572);

  private static final int DENSE = 13;
  private static final List<Integer> BOTTOM = List.of(512, 256, 64, 16);
  private static final List<Integer> TOP = List.of(512, 256);

  private Dlrm() {}

  static void addTo(GraphBuilder graph) {
    SequenceLayers layers = new SequenceLayers(graph);
    Tensor x = hidden(graph, graph.input("dense", List.of(DENSE)), BOTTOM);
    Tensor categories = graph.integerInput("categories", List.of(TABLES.size()));
    int width = x.features();
    List<Tensor> vectors = new ArrayList<>(List.of(x));
    for (int table = 0; table < TABLES.size(); table++) {
      String row = graph.constant(TensorData.scalar((long) table));
      Tensor index =
          graph.node("Gather", List.of(categories.name(), row), List.of(), Attribute.of("axis", 1));
      vectors.add(layers.embedding(index.name(), index.dims(), TABLES.get(table), width));
    }
    Tensor pairs = pairs(graph, layers, vectors);
    Tensor top = hidden(graph, layers.concatFeatures(List.of(x, pairs)), TOP);
    graph.output(graph.elementwise("Sigmoid", ImageLayers.gemm(graph, top, 1)));
  }

  /** The products of all vectors with each other, each pair once. */
  private static Tensor pairs(GraphBuilder graph, SequenceLayers layers, List<Tensor> vectors) {
    int count = vectors.size();
    Tensor all =
        layers.reshape(layers.concatFeatures(vectors), count, vectors.getFirst().features());
    Tensor products = layers.matMul(all, layers.transpose(all, 0, 2, 1));
    int[] below = new int[count * (count - 1) / 2];
    int next = 0;
    for (int row = 1; row < count; row++) {
      for (int column = 0; column < row; column++) {
        below[next++] = row * count + column;
      }
    }
    return graph.node(
        "Gather",
        List.of(
            layers.reshape(products, count * count).name(),
            graph.constant(TensorData.vector(below))),
        List.of(below.length),
        Attribute.of("axis", 1));
  }

  private static Tensor hidden(GraphBuilder graph, Tensor x, List<Integer> widths) {
    Tensor inner = x;
    for (int width : widths) {
      inner = graph.elementwise("Relu", ImageLayers.gemm(graph, inner, width));
    }
    return inner;
  }
}
