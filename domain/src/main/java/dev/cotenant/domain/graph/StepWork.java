package dev.cotenant.domain.graph;

/**
 * Amounts of one forward pass that decide its time. Two sources: a graph, or totals that a
 * publication states.
 *
 * @param batch samples, at least 1
 * @param macs multiply-accumulates a sample
 * @param winogradMacs those of dense 3×3 convolutions of stride 1
 * @param matrixOutputs elements a sample that convolutions and matrix products write
 * @param moved elements a sample that all operators read and write, weights excluded
 * @param parameters elements of the weights
 * @param operators operators of one pass, which the host launches; 0 where launches are hidden
 * @param inputBytes bytes a sample that the host copies to the device; 0 where they are there
 */
public record StepWork(
    int batch,
    double macs,
    double winogradMacs,
    double matrixOutputs,
    double moved,
    double parameters,
    double operators,
    double inputBytes) {
  private static final double USUAL_ELEMENT_BYTES = 4;
  private static final double LARGEST_ELEMENT_BYTES = 8;

  public StepWork {
    if (batch < 1) {
      throw new IllegalArgumentException("batch must be at least 1, is " + batch);
    }
    double[] amounts = {
      macs, winogradMacs, matrixOutputs, moved, parameters, operators, inputBytes
    };
    for (double amount : amounts) {
      if (!(amount >= 0 && amount < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("amounts must be finite and at least 0: " + amount);
      }
    }
  }

  /** Of a graph at its batch. */
  public static StepWork of(ModelFeatures model) {
    EagerExecution eager = model.eager();
    double batch = model.batchSize();
    return new StepWork(
        model.batchSize(),
        model.multiplyAccumulates() / batch,
        eager.winogradMacs() / batch,
        eager.matrixOutputs() / batch,
        eager.moved().bytes() / elementBytes(model) / batch,
        model.parameters(),
        eager.operators(),
        model.inputs().bytes() / batch);
  }

  /** Bytes of an element as the graph stores its weights. */
  private static double elementBytes(ModelFeatures model) {
    return model.parameters() == 0
        ? USUAL_ELEMENT_BYTES
        : Math.clamp(
            (double) model.modelSize().bytes() / model.parameters(), 1, LARGEST_ELEMENT_BYTES);
  }

  /** The same with another number of samples. */
  public StepWork atBatch(int samples) {
    return new StepWork(
        samples, macs, winogradMacs, matrixOutputs, moved, parameters, operators, inputBytes);
  }
}
