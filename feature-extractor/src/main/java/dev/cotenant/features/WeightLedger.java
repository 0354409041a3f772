package dev.cotenant.features;

import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.inference.Saturating;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Trainable elements and their stored bytes, each tensor once however often it is used.
 *
 * <p>Floating-point tensors count, and those of eight bits or fewer with two axes or more, which is
 * what quantised weights look like; indices, shapes and zero points do not.
 */
final class WeightLedger {
  private final Set<StoredTensor> counted = Collections.newSetFromMap(new IdentityHashMap<>());
  private long parameters;
  private long bytes;

  void add(StoredTensor tensor) {
    boolean isWeight =
        tensor.type().isFloating() || (tensor.type().isNarrowInteger() && tensor.rank() > 1);
    if (isWeight && counted.add(tensor)) {
      parameters = Saturating.add(parameters, tensor.elements());
      bytes = Saturating.add(bytes, tensor.bytes());
    }
  }

  /** A tensor in a {@code Constant} node; a single number there is arithmetic, not a weight. */
  void addConstant(StoredTensor tensor) {
    if (tensor.elements() > 1) {
      add(tensor);
    }
  }

  long parameters() {
    return parameters;
  }

  long bytes() {
    return bytes;
  }
}
