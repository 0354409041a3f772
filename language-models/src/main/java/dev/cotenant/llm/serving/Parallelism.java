package dev.cotenant.llm.serving;

/** How GPUs divide a model; contexts and communication buffers follow from it. */
public enum Parallelism {
  /** One GPU. */
  NONE,
  /** Matrices are divided. */
  TENSOR,
  /** Layers alone are divided. */
  PIPELINE;

  static Parallelism of(VllmSettings settings) {
    if (settings.tensor() > 1) {
      return TENSOR;
    }
    return settings.pipeline() > 1 ? PIPELINE : NONE;
  }
}
