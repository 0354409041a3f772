package dev.cotenant.llm.model;

import org.jspecify.annotations.Nullable;

/**
 * The feed-forward part of a layer.
 *
 * @param width of a dense layer
 * @param gated three matrices in place of two
 * @param experts of the other layers; null where all are dense
 */
public record FeedForward(int width, boolean gated, @Nullable Experts experts) {
  /**
   * A mixture of experts.
   *
   * @param count routed experts
   * @param perToken experts that each token takes
   * @param width of an expert
   * @param sharedWidth summed width of the shared experts; 0 for none
   * @param layers layers that have it
   */
  public record Experts(int count, int perToken, int width, int sharedWidth, int layers) {}

  /** Matrices of a dense part. */
  public int matrices() {
    return gated ? 3 : 2;
  }
}
