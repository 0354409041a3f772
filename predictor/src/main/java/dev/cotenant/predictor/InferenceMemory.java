package dev.cotenant.predictor;

import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.quantity.MemorySize;

/**
 * Peak memory of serving a model, from its graph alone.
 *
 * <p>Weights + activations + context. All layer outputs together bound what is alive at once, since
 * serving frees each output after its last reader; the context is what the smallest training runs
 * needed. The lower bound keeps weights and half the context, the upper one doubles all but the
 * weights: workspaces and allocator rounding are not in a graph and no inference run has been
 * measured, so the bounds are assumptions and every such prediction carries a warning.
 */
final class InferenceMemory {
  private static final double LEAST_CONTEXT = 0.5;
  private static final double MOST_OVER_WEIGHTS = 2;

  /** 16 TiB, beyond any device; larger features are capped so that sums stay within a long. */
  private static final MemorySize MOST = MemorySize.ofGiB(16 << 10);

  private InferenceMemory() {}

  static MemoryEstimate estimate(ModelFeatures features, MemorySize context) {
    MemorySize weights = features.modelSize().min(MOST);
    MemorySize working = features.activations().min(MOST).plus(context.min(MOST));
    return new MemoryEstimate(
        weights.plus(working),
        weights.plus(context.min(MOST).times(LEAST_CONTEXT)),
        weights.plus(working.times(MOST_OVER_WEIGHTS)),
        null);
  }
}
