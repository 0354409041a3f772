package dev.cotenant.zoo.layers;

import dev.cotenant.zoo.onnx.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Attention of several heads [Vaswani et al., NeurIPS 2017, 3.2], written as the PyTorch exporter
 * writes it.
 *
 * @param layers the graph's layers
 * @param heads how many heads share the features
 * @param kind how it runs
 */
public record Attention(SequenceLayers layers, int heads, Kind kind) {
  /** How attention runs. */
  public enum Kind {
    /** Written out by the model: scores, softmax and their product with the values. */
    WRITTEN_OUT,
    /**
     * As one operator, {@code scaled_dot_product_attention} of PyTorch 2: scores never lie in
     * memory. The exporter scales queries and keys by the fourth root of their width.
     */
    FUSED
  }

  public Attention(SequenceLayers layers, int heads) {
    this(layers, heads, Kind.WRITTEN_OUT);
  }

  /**
   * Queries of one sequence to the keys and values of another, or of the same.
   *
   * @param bias added to the scores; null for none
   */
  public Tensor of(Tensor queries, Tensor keysAndValues, @Nullable Tensor bias) {
    int width = queries.features();
    Tensor query = split(layers.linear(queries, width), 0, 2, 1, 3);
    Tensor key = split(layers.linear(keysAndValues, width), 0, 2, 3, 1);
    Tensor value = split(layers.linear(keysAndValues, width), 0, 2, 1, 3);
    return layers.linear(mixed(query, key, value, bias), width);
  }

  /** Cuts every token into heads and reorders the axes. */
  public Tensor split(Tensor x, int... order) {
    return layers.transpose(layers.splitHeads(x, heads), order);
  }

  /** Values, weighted by the scores of their keys, with the heads joined again. */
  public Tensor mixed(Tensor query, Tensor key, Tensor value, @Nullable Tensor bias) {
    float scale = (float) Math.sqrt(query.features());
    Tensor scores =
        switch (kind) {
          case WRITTEN_OUT -> layers.withScalar("Div", layers.matMul(query, key), scale);
          case FUSED -> {
            float root = (float) (1 / Math.sqrt(scale));
            yield layers.matMul(
                layers.withScalar("Mul", query, root), layers.withScalar("Mul", key, root));
          }
        };
    Tensor weights = layers.softmax(bias == null ? scores : layers.add(scores, bias));
    return layers.joinHeads(layers.transpose(layers.matMul(weights, value), 0, 2, 1, 3));
  }
}
