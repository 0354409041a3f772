package dev.cotenant.datasets.zoo;

import org.jspecify.annotations.Nullable;

/**
 * Attention of several heads [Vaswani et al., NeurIPS 2017, 3.2], written as the PyTorch exporter
 * writes it where no fused operator is used.
 *
 * @param layers the graph's layers
 * @param heads how many heads share the features
 */
record Attention(SequenceLayers layers, int heads) {
  /**
   * Queries of one sequence to the keys and values of another, or of the same.
   *
   * @param bias added to the scores; null for none
   */
  Tensor of(Tensor queries, Tensor keysAndValues, @Nullable Tensor bias) {
    int width = queries.features();
    Tensor query = split(layers.linear(queries, width), 0, 2, 1, 3);
    Tensor key = split(layers.linear(keysAndValues, width), 0, 2, 3, 1);
    Tensor value = split(layers.linear(keysAndValues, width), 0, 2, 1, 3);
    return layers.linear(mixed(query, key, value, bias), width);
  }

  /** Cuts every token into heads and reorders the axes. */
  Tensor split(Tensor x, int... order) {
    return layers.transpose(layers.splitHeads(x, heads), order);
  }

  /** Values, weighted by the scores of their keys, with the heads joined again. */
  Tensor mixed(Tensor query, Tensor key, Tensor value, @Nullable Tensor bias) {
    float scale = (float) Math.sqrt(query.features());
    Tensor scores = layers.withScalar("Div", layers.matMul(query, key), scale);
    Tensor weights = layers.softmax(bias == null ? scores : layers.add(scores, bias));
    return layers.joinHeads(layers.transpose(layers.matMul(weights, value), 0, 2, 1, 3));
  }
}
