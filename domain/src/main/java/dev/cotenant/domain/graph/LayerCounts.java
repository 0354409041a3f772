package dev.cotenant.domain.graph;

/**
 * Layers of a model in the module view that training tools report, counted per use in the graph.
 *
 * <p>These are the first four of the seven features of [UtilPred, Table 2]. ResNet-50 has 53
 * convolutions, 1 linear layer and 49 activations.
 *
 * @param convolution Conv and ConvTranspose
 * @param linear Gemm or MatMul with a constant weight; an LSTM cell counts two
 * @param activation ReLU, Sigmoid, Tanh, GELU, SiLU, Softmax and their kin
 * @param other normalisation, pooling, dropout, embedding and the rest of recurrent gates
 */
public record LayerCounts(int convolution, int linear, int activation, int other) {
  public LayerCounts {
    requireNotNegative("convolution", convolution);
    requireNotNegative("linear", linear);
    requireNotNegative("activation", activation);
    requireNotNegative("other", other);
  }

  private static void requireNotNegative(String name, int count) {
    if (count < 0) {
      throw new IllegalArgumentException(name + " must be at least 0, is " + count);
    }
  }

  public int total() {
    return convolution + linear + activation + other;
  }
}
