package dev.cotenant.llm.serving;

import java.util.function.ToDoubleFunction;

/** A part of a server's memory that is measured on its own. */
public enum ServingPart {
  WEIGHTS(ServingParts::weights, ServingRun.Measured::weights),
  ACTIVATION(ServingParts::activation, ServingRun.Measured::activation),
  NON_TORCH(ServingParts::nonTorch, ServingRun.Measured::nonTorch),
  CUDA_GRAPHS(ServingParts::graphs, ServingRun.Measured::graphs),
  CONTEXT(ServingParts::context, ServingRun.Measured::context);

  @SuppressWarnings("ImmutableEnumChecker") // a reference to a pure method
  private final ToDoubleFunction<ServingParts> predicted;

  @SuppressWarnings("ImmutableEnumChecker") // a reference to a pure method
  private final ToDoubleFunction<ServingRun.Measured> measured;

  ServingPart(
      ToDoubleFunction<ServingParts> predicted, ToDoubleFunction<ServingRun.Measured> measured) {
    this.predicted = predicted;
    this.measured = measured;
  }

  /** Its bytes of a prediction. */
  public double of(ServingParts parts) {
    return predicted.applyAsDouble(parts);
  }

  /** Its bytes of a measured start. */
  public double of(ServingRun.Measured start) {
    return measured.applyAsDouble(start);
  }
}
