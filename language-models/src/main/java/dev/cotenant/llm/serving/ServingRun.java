package dev.cotenant.llm.serving;

import dev.cotenant.llm.model.LanguageModel;

/**
 * One measured start of a vLLM server.
 *
 * @param place file and line
 * @param family of its model
 * @param model its model as it runs: quantization and type of the arguments included
 * @param settings its arguments
 * @param card where it ran
 * @param measured what its log states
 * @param planner prediction of another planner
 */
public record ServingRun(
    String place,
    String family,
    LanguageModel model,
    VllmSettings settings,
    ServingCard card,
    Measured measured,
    Planner planner) {
  /**
   * Bytes on the first GPU, from the log.
   *
   * @param kvTokens tokens of the KV cache
   */
  public record Measured(
      double context,
      double weights,
      double activation,
      double nonTorch,
      double graphs,
      double graphEstimate,
      double kvCache,
      double kvTokens) {
    /** All but the KV cache within the utilization. */
    public double allButKv() {
      return weights + activation + nonTorch;
    }

    /** All beside weights and KV cache. */
    public double beyondWeights() {
      return context + activation + nonTorch + graphs;
    }

    /** The whole process. */
    public double process() {
      return allButKv() + kvCache + context + graphs;
    }
  }

  /** Bytes on a GPU that another planner predicted, and tokens; NaN where it did not. */
  public record Planner(double weights, double activation, double kvCache, double kvTokens) {}
}
