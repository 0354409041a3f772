package dev.cotenant.domain.graph;

/**
 * Work of a forward pass as functions of the batch, sufficient for a roofline.
 *
 * @param flopsPerSample 2 × multiply-accumulates of one sample
 * @param activationBytesPerSample bytes of all layer outputs of one sample
 * @param parameterBytes bytes of the weights, whatever the batch
 * @param layers convolution and linear layers
 */
public record GraphWork(
    double flopsPerSample, double activationBytesPerSample, double parameterBytes, int layers) {
  public GraphWork {
    double sum = flopsPerSample + activationBytesPerSample + parameterBytes;
    boolean negative = flopsPerSample < 0 || activationBytesPerSample < 0 || parameterBytes < 0;
    if (negative || layers < 0 || !(sum < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "work must be finite and at least 0, is "
              + flopsPerSample
              + ", "
              + activationBytesPerSample
              + ", "
              + parameterBytes
              + " and "
              + layers);
    }
  }

  /** Work of a graph, independent of the batch. */
  public static GraphWork of(ModelFeatures features) {
    return new GraphWork(
        features.flops() / features.batchSize(),
        (double) features.activations().bytes() / features.batchSize(),
        features.modelSize().bytes(),
        features.layers().convolution() + features.layers().linear());
  }
}
