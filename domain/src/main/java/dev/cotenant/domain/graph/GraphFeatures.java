package dev.cotenant.domain.graph;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;

/**
 * Everything that is read from one model graph at one batch size.
 *
 * @param model what predictors learn from
 * @param execution how it runs on a device
 * @param parameters parameters by element type, the most bytes first
 * @param peakActivations the most bytes of intermediate tensors alive at once over a good order
 * @param operators nodes of the graph, including shape-only and arithmetic plumbing
 * @param shapeCoverage share of matrix-class nodes whose shapes are known, 0 to 1; below 1 the
 *     multiply-accumulates are a lower bound. What may hold or be such a node without being
 *     understood, as an operator that is not known, counts as one whose shapes are not known
 * @param warnings one line each, naming the node or dimension
 */
public record GraphFeatures(
    ModelFeatures model,
    ExecutionFeatures execution,
    List<StoredParameters> parameters,
    MemorySize peakActivations,
    int operators,
    double shapeCoverage,
    List<String> warnings) {
  public GraphFeatures {
    if (operators < 0) {
      throw new IllegalArgumentException("operators must be at least 0, is " + operators);
    }
    if (!(shapeCoverage >= 0 && shapeCoverage <= 1)) {
      throw new IllegalArgumentException("shapeCoverage must be in [0, 1], is " + shapeCoverage);
    }
    parameters = List.copyOf(parameters);
    warnings = List.copyOf(warnings);
  }
}
