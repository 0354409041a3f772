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
 * @param timeSteps time steps of recurrent layers, which run one after the other
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
    double timeSteps,
    double inputBytes) {
  /** Of published totals: elements moved for each matrix output and each input [timm]. */
  private static final double MOVED_PER_OUTPUT = 5.3;

  private static final double MOVED_PER_INPUT = 2.2;

  /** Elements that a fusing compiler moves for each matrix output: reads and writes. */
  private static final double FUSED_PER_OUTPUT = 2.5;

  private static final double USUAL_ELEMENT_BYTES = 4;
  private static final double MAX_ELEMENT_BYTES = 8;

  public StepWork {
    if (batch < 1) {
      throw new IllegalArgumentException("batch must be at least 1, is " + batch);
    }
    double[] amounts = {
      macs, winogradMacs, matrixOutputs, moved, parameters, operators, timeSteps, inputBytes
    };
    for (double amount : amounts) {
      if (!(amount >= 0 && amount < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("amounts must be finite and at least 0: " + amount);
      }
    }
  }

  /** Work of a graph at its batch. */
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
        eager.timeSteps(),
        model.inputs().bytes() / batch);
  }

  /** Bytes of an element as the graph stores its weights. */
  private static double elementBytes(ModelFeatures model) {
    return model.parameters() == 0
        ? USUAL_ELEMENT_BYTES
        : Math.clamp((double) model.modelSize().bytes() / model.parameters(), 1, MAX_ELEMENT_BYTES);
  }

  /**
   * Of totals that a publication states of a network, without its operators; launches and the input
   * copy are left out.
   */
  public static StepWork ofTotals(int batch, Totals totals) {
    return new StepWork(
        batch,
        totals.macs,
        0,
        totals.matrixOutputs,
        MOVED_PER_OUTPUT * totals.matrixOutputs + MOVED_PER_INPUT * totals.inputs,
        totals.parameters,
        0,
        0,
        0);
  }

  /** Totals of a sample: multiply-accumulates, elements of matrix outputs and of inputs. */
  public record Totals(double macs, double matrixOutputs, double inputs, double parameters) {}

  /** Copy after the fusions of an inference compiler. */
  public StepWork fused() {
    double least = Math.min(moved, FUSED_PER_OUTPUT * matrixOutputs);
    return new StepWork(
        batch, macs, winogradMacs, matrixOutputs, least, parameters, 0, 0, inputBytes);
  }

  /** Copy with a different batch size. */
  public StepWork atBatch(int samples) {
    return new StepWork(
        samples,
        macs,
        winogradMacs,
        matrixOutputs,
        moved,
        parameters,
        operators,
        timeSteps,
        inputBytes);
  }
}
