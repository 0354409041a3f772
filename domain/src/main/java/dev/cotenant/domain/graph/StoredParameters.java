package dev.cotenant.domain.graph;

import dev.cotenant.domain.quantity.MemorySize;

/**
 * Parameters of one element type.
 *
 * @param elementType its name in lower case as ONNX spells it, such as {@code float16}
 * @param parameters trainable elements
 * @param size bytes as stored
 */
public record StoredParameters(String elementType, long parameters, MemorySize size) {
  public StoredParameters {
    if (parameters < 0) {
      throw new IllegalArgumentException("parameters must be at least 0, is " + parameters);
    }
  }
}
