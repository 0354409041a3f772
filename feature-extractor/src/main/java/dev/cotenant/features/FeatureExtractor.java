package dev.cotenant.features;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.features.inference.TensorFact;
import java.util.Map;

/**
 * Measures a model graph, without running it.
 *
 * <p>Multiply-accumulates follow the torchvision and fvcore convention: convolutions, matrix
 * products, einsum, attention and recurrences; no bias, nothing elementwise. Layers follow the
 * module view. Activation bytes are the bytes of layer outputs: those of convolutions, matrix
 * products, recurrences, activations, normalisation, pooling, dropout and embeddings, and of
 * elementwise arithmetic and reductions on numbers of a model's precision, such as a residual sum.
 * A layer that is exported as several nodes has one output. Stored tensors, what is computed from
 * them or from shapes alone, integer arithmetic, views and tensors that are only moved ({@code
 * Reshape}, {@code Transpose}, {@code Concat}) are none. The peak of {@code GraphFeatures} is over
 * every intermediate tensor, moved ones and the inside of layers included, in the better of two
 * runnable orders. What training saves for the backward pass is counted by operator ({@link
 * Retention}).
 *
 * <p>Pure and thread safe. Nothing in a graph makes it throw: what cannot be derived lowers the
 * shape coverage and is named in a warning.
 */
public final class FeatureExtractor {
  private static final long LOSS_COPIES = 4;

  /**
   * Features of a graph at one batch.
   *
   * @param graph the model as read
   * @param binding batch size and symbolic dimensions
   */
  public GraphFeatures extract(ModelGraph graph, GraphBinding binding) {
    return analyze(graph, binding.dimensions()).at(binding.batchSize());
  }

  /**
   * Features of a graph at every batch: one walk for any number of batches.
   *
   * @param graph the model as read
   * @param dimensions extents of symbolic dimensions by name, each at least 1
   * @throws InputException {@code dimension-out-of-range}
   */
  public ModelAnalysis analyze(ModelGraph graph, Map<String, Integer> dimensions) {
    GraphWarnings warnings = new GraphWarnings();
    warnOfExternalData(graph, warnings);
    GraphBinding binding = new GraphBinding(null, dimensions);
    InputBinding inputs = new InputBinding(graph.graph(), binding, warnings);
    Scope scope = Scope.top(graph.graph());
    inputs.bindTo(scope);
    Extraction extraction = new Extraction(graph, inputs, warnings);
    GraphWalk walk = new GraphWalk(extraction, graph.graph(), scope);
    Tally tally = walk.run();
    walk.outputs().forEach(output -> addLoss(output, tally));
    return new ModelAnalysis(extraction, tally);
  }

  /** At the first step back, answers, their logarithms and the gradients of both are alive. */
  private static void addLoss(TensorFact output, Tally tally) {
    if (output.type().isFloating()) {
      tally.addSavedBytes(Lowering.bytes(output).times(LOSS_COPIES));
    }
  }

  private static void warnOfExternalData(ModelGraph graph, GraphWarnings warnings) {
    for (String location : graph.externalLocations()) {
      String path = location.replace('\\', '/');
      boolean escapes =
          path.startsWith("/") || path.contains(":") || ("/" + path + "/").contains("/../");
      if (escapes) {
        warnings.add(
            "external data " + location + " lies outside of the model's folder; not opened");
      }
    }
  }
}
