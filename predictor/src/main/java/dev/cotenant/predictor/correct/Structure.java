package dev.cotenant.predictor.correct;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;

/**
 * What of a model's features does not depend on the batch, on a logarithmic scale: layers by kind,
 * parameters, multiply-accumulates a sample.
 */
record Structure(
    double convolution,
    double linear,
    double activation,
    double other,
    double parameters,
    double work) {

  static Structure of(ModelFeatures features) {
    LayerCounts layers = features.layers();
    return new Structure(
        Math.log1p(layers.convolution()),
        Math.log1p(layers.linear()),
        Math.log1p(layers.activation()),
        Math.log1p(layers.other()),
        Math.log1p((double) features.parameters()),
        Math.log1p((double) features.multiplyAccumulates() / features.batchSize()));
  }

  /** Euclidean distance: 0.7 is a factor of two in one of the six. */
  double distance(Structure to) {
    double squares =
        square(convolution - to.convolution)
            + square(linear - to.linear)
            + square(activation - to.activation)
            + square(other - to.other)
            + square(parameters - to.parameters)
            + square(work - to.work);
    return Math.sqrt(squares);
  }

  private static double square(double x) {
    return x * x;
  }
}
