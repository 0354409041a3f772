package dev.cotenant.llm.serving;

import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import org.jspecify.annotations.Nullable;

/**
 * A server of which arguments state the weights and the KV cache, and nothing the rest.
 *
 * @param engine its name
 * @param tensor GPUs that divide every matrix
 * @param tokens that its KV cache holds; null where a share of the card decides
 * @param share of the card that weights and KV cache take; null where its default is not known
 * @param valueBytes bytes of a cached value
 * @param onGpu share of the layers on the GPU
 */
public record StatedServer(
    String engine,
    int tensor,
    @Nullable Long tokens,
    @Nullable Double share,
    double valueBytes,
    double onGpu) {
  /**
   * Known parts of its memory on one GPU, in bytes.
   *
   * @param kvCache null where the card decides
   * @param kvTokens null where the card decides
   * @param takes weights and KV cache, or the card's share that the engine fills with them
   */
  public record Parts(
      double weights, @Nullable Double kvCache, @Nullable Long kvTokens, double takes) {}

  /** Parts on a card of this memory. */
  public Parts on(LanguageModel model, double cardBytes) {
    double weights = new Weights(model).bytesPerGpu(tensor, 1) * onGpu;
    double perToken = new KvCache(model, tensor, 1, 1).bytesPerToken() * valueBytes * onGpu;
    Long stated = tokens;
    if (stated != null) {
      return new Parts(weights, perToken * stated, stated, weights + perToken * stated);
    }
    Double filled = share;
    if (filled == null) {
      return new Parts(weights, null, null, Math.max(weights, cardBytes));
    }
    double pool = Math.max(0, filled * cardBytes - weights);
    return new Parts(weights, pool, (long) (pool / perToken), weights + pool);
  }
}
