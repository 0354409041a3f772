package dev.cotenant.llm.serving;

import dev.cotenant.llm.model.LanguageModel;

/** How GPUs divide a model; contexts and communication buffers follow from it. */
public enum Parallelism {
  /** One GPU. */
  NONE,
  /** Matrices are divided. */
  TENSOR,
  /** Matrices and experts are divided: experts have a group of ranks, and buffers, of their own. */
  EXPERTS,
  /** Layers alone are divided. */
  PIPELINE;

  static Parallelism of(LanguageModel model, VllmSettings settings) {
    if (settings.tensor() > 1) {
      return model.feedForward().experts() == null ? TENSOR : EXPERTS;
    }
    return settings.pipeline() > 1 ? PIPELINE : NONE;
  }
}
