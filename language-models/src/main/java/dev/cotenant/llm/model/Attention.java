package dev.cotenant.llm.model;

/** How a layer attends; what its KV cache holds for a token follows from it. */
public sealed interface Attention {
  /** Query heads. */
  int heads();

  /**
   * Heads that share keys and values in groups; multi-head attention where both counts are equal.
   *
   * @param kvHeads heads of keys and values
   * @param headDim width of a head
   * @param bias whether the query, key and value projections have biases
   */
  record Grouped(int heads, int kvHeads, int headDim, boolean bias) implements Attention {}

  /**
   * Multi-head latent attention: one compressed vector for all heads [DeepSeek-V2, section 2.1].
   *
   * @param kvRank width of the compressed keys and values
   * @param queryRank width of the compressed queries; 0 where they are not compressed
   * @param plainDim width of the part of a head without rotary embedding
   * @param rotaryDim width of the part with it, shared by all heads
   * @param valueDim width of a value head
   */
  record Latent(int heads, int kvRank, int queryRank, int plainDim, int rotaryDim, int valueDim)
      implements Attention {}
}
