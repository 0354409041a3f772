package dev.cotenant.llm.model;

/**
 * Decoder layers by kind.
 *
 * @param full layers that attend to every earlier token
 * @param windowed layers that attend to a window or chunk
 * @param linear layers with a recurrent state in place of a KV cache
 * @param window tokens of the window; 0 where no layer has one
 */
public record Layers(int full, int windowed, int linear, int window) {
  /** Whether every layer caches the same. */
  public boolean areAlike() {
    return count() == Math.max(full, windowed);
  }

  /** All decoder layers. */
  public int count() {
    return full + windowed + linear;
  }
}
