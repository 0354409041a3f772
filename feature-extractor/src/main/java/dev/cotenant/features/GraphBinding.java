package dev.cotenant.features;

import dev.cotenant.domain.InputException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the caller fixes before a graph is measured.
 *
 * @param batchSize samples in the batch, at least 1; null leaves the declared batch, a symbolic one
 *     being 1
 * @param dimensions extents of symbolic dimensions by name, each at least 1; axis 2 of input {@code
 *     x} also goes by {@code x.2}, which counts first
 */
public record GraphBinding(@Nullable Integer batchSize, Map<String, Integer> dimensions) {
  /** The declared shapes. */
  public static final GraphBinding NONE = new GraphBinding(null, Map.of());

  /**
   * @throws InputException {@code batch-out-of-range} or {@code dimension-out-of-range}
   */
  public GraphBinding {
    if (batchSize != null) {
      requireBatch(batchSize);
    }
    dimensions = Map.copyOf(dimensions);
    dimensions.forEach(GraphBinding::requirePositive);
  }

  static int requireBatch(int batch) {
    if (batch < 1) {
      throw InputException.invalidArgument(
          "batch-out-of-range", "batch must be at least 1, is " + batch);
    }
    return batch;
  }

  private static void requirePositive(String name, int extent) {
    if (extent < 1) {
      throw InputException.invalidArgument(
          "dimension-out-of-range", "dimension " + name + " must be at least 1, is " + extent);
    }
  }
}
