package dev.cotenant.llm.serving;

import dev.cotenant.llm.model.LanguageModel;

/**
 * The predicted memory of a vLLM server on its first GPU, in bytes.
 *
 * @param weights weights and tables
 * @param activation peak of the profiling run
 * @param nonTorch allocated outside of PyTorch after loading
 * @param graphs CUDA graphs
 * @param context in use before loading
 * @param kvCache the pool
 * @param kvPerToken bytes per token in the pool
 * @param kvPerSequence that a sequence of the longest length takes of the pool
 */
public record ServingParts(
    double weights,
    double activation,
    double nonTorch,
    double graphs,
    double context,
    double kvCache,
    double kvPerToken,
    double kvPerSequence) {
  /** Tokens of a block of the pool. */
  public static final int BLOCK = 16;

  /** By these coefficients. */
  public static ServingParts of(
      ServingCoefficients coefficients,
      LanguageModel model,
      VllmSettings settings,
      ServingCard card) {
    return of(coefficients, ServingAmounts.of(model, settings, card), model, settings, card);
  }

  /** On the GPU of the last stage, which computes the logits. */
  public static ServingParts ofLast(
      ServingCoefficients coefficients,
      LanguageModel model,
      VllmSettings settings,
      ServingCard card) {
    return of(coefficients, ServingAmounts.of(model, settings, card, true), model, settings, card);
  }

  private static ServingParts of(
      ServingCoefficients coefficients,
      ServingAmounts amounts,
      LanguageModel model,
      VllmSettings settings,
      ServingCard card) {
    Parallelism parallelism = Parallelism.of(model, settings);
    double activation =
        coefficients.activation(amounts, model.visionParameters() > 0, settings.version());
    double nonTorch = coefficients.nonTorch(parallelism);
    double graphs = coefficients.graphs(amounts);
    double inside =
        amounts.weights() + activation + nonTorch + (settings.graphsInside() ? graphs : 0);
    Long pinned = settings.kvCacheBytes();
    double kvCache =
        pinned == null
            ? Math.max(0, settings.utilizationOrDefault() * card.totalBytes() - inside)
            : pinned;
    return new ServingParts(
        amounts.weights(),
        activation,
        nonTorch,
        graphs,
        coefficients.context(parallelism),
        kvCache,
        amounts.kvPerToken(),
        settings
            .kvCache(model)
            .pooledBytesPerSequence(
                settings.length(model), settings.batchedTokens(model, card), BLOCK));
  }

  /** What counts against the utilization beside the pool. */
  public double allButKv() {
    return weights + activation + nonTorch;
  }

  /** What lies outside the utilization. */
  public double outside() {
    return context + graphs;
  }

  /** Everything but the pool. */
  public double withoutKv() {
    return allButKv() + outside();
  }

  /** The whole process. */
  public double process() {
    return withoutKv() + kvCache;
  }

  /** Tokens that a pool of so many bytes holds, in blocks of 16. */
  public long tokens(double poolBytes) {
    return BLOCK * (long) (poolBytes / kvPerToken / BLOCK);
  }
}
