package dev.cotenant.llm.memory;

import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.Layers;

/**
 * Keys and values of tokens on one GPU.
 *
 * @param model the model
 * @param tensor tensor-parallel size; divides KV heads down to one, never latents
 * @param pipeline pipeline-parallel size; divides layers
 * @param valueBytes bytes of a cached value
 */
public record KvCache(LanguageModel model, int tensor, int pipeline, int valueBytes) {
  /** Kinds whose counts are closer than this are padded up to the larger [vLLM, kv_cache_utils]. */
  private static final double CLOSE = 1.25;

  /** Bytes of one token as vLLM's pool counts them, padding of groups included. */
  public double pooledBytesPerToken() {
    return pooledLayers(model.layers()) * layerBytes() / pipeline;
  }

  /** Bytes of one token of a block, which belongs to one group of layers [vLLM, kv_cache_utils]. */
  public double blockBytesPerToken() {
    return groupOf(model.layers()) * layerBytes() / pipeline;
  }

  /** Groups of layers, at least 1: a token takes a place in a block of each. */
  public int groups() {
    return Math.max(1, pooledLayers(model.layers()) / groupOf(model.layers()));
  }

  /** Bytes of one token in all layers that cache. */
  public double bytesPerToken() {
    return (model.layers().full() + model.layers().windowed()) * layerBytes() / pipeline;
  }

  /**
   * Bytes of the pool that one sequence may hold at once: all of it in full layers, and in windowed
   * ones the window, a batch and a block, as a window may begin within one [vLLM,
   * kv_cache_interface].
   *
   * @param length tokens of the sequence
   * @param batched tokens of a batch
   * @param block tokens of a block
   */
  public double pooledBytesPerSequence(long length, long batched, int block) {
    Layers layers = model.layers();
    long whole = Math.ceilDiv(length, block);
    long recent = Math.ceilDiv(Math.min(layers.window() - 1 + batched, length), block) + 1;
    int group = groupOf(layers);
    double blocks =
        (double) Math.ceilDiv(layers.full(), group) * whole
            + (double) Math.ceilDiv(layers.windowed(), group) * recent;
    return group * blocks * block * layerBytes() / pipeline;
  }

  private double layerBytes() {
    return switch (model.attention()) {
      case Attention.Grouped grouped ->
          2.0 * Math.max(1.0, (double) grouped.kvHeads() / tensor) * grouped.headDim() * valueBytes;
      case Attention.Latent latent -> (latent.kvRank() + latent.rotaryDim()) * (double) valueBytes;
    };
  }

  /**
   * Layers' worth of memory: full and windowed layers form groups of equal size, the smaller kind's
   * count, and each kind is padded up to a multiple of it.
   */
  static int pooledLayers(Layers layers) {
    int group = groupOf(layers);
    return group * (Math.ceilDiv(layers.full(), group) + Math.ceilDiv(layers.windowed(), group));
  }

  /** At least 1. */
  private static int groupOf(Layers layers) {
    int few = Math.min(layers.full(), layers.windowed());
    int many = Math.max(layers.full(), layers.windowed());
    return Math.max(1, few == 0 || many < few * CLOSE ? many : few);
  }
}
