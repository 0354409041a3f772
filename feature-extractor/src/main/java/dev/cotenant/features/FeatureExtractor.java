package dev.cotenant.features;

import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.inference.BatchScale;

/**
 * Measures a model graph at a batch size, without running it.
 *
 * <p>Multiply-accumulates follow the torchvision and fvcore convention: convolutions, matrix
 * products, einsum, attention and recurrences; no bias, nothing elementwise. Layers follow the
 * module view. Activation bytes are the bytes of layer outputs: those of convolutions, matrix
 * products, recurrences, activations, normalisation, pooling, dropout and embeddings, and of
 * elementwise arithmetic and reductions on numbers of a model's precision, such as a residual sum.
 * A layer that is exported as several nodes has one output. Stored tensors, what is computed from
 * them or from shapes alone, integer arithmetic, views and tensors that are only moved ({@code
 * Reshape}, {@code Transpose}, {@code Concat}) are none. The peak of {@code GraphFeatures} is over
 * every intermediate tensor, moved ones and the inside of layers included, in graph order.
 *
 * <p>Pure and thread safe. Nothing in a graph makes it throw: what cannot be derived lowers the
 * shape coverage and is named in a warning.
 */
public final class FeatureExtractor {
  /**
   * Features of a graph.
   *
   * @param graph the model as read
   * @param binding batch size and symbolic dimensions
   */
  public GraphFeatures extract(ModelGraph graph, GraphBinding binding) {
    Warnings warnings = new Warnings();
    Graph top = graph.graph();
    warnOfExternalData(graph, warnings);
    InputBinding inputs = new InputBinding(top, binding, warnings);
    Integer wanted = binding.batchSize();
    long declared = inputs.declaredBatch();
    long batch = wanted == null ? declared : wanted;
    boolean rescales = batch == declared || inputs.hasBatch();
    BatchScale scale = new BatchScale(declared, rescales ? batch : declared);
    Scope scope = Scope.top(top);
    inputs.bindTo(scope);
    Extraction extraction = new Extraction(graph, inputs, scale, warnings);
    Tally tally = new GraphWalk(extraction, top, scope).run();
    BatchScale afterwards = new BatchScale(declared, rescales ? declared : batch);
    if (!rescales) {
      warnings.add("no input has a batch axis; figures are " + batch + " times those of one run");
    }
    ModelFeatures model =
        new ModelFeatures(
            tally.layers(),
            extraction.weights().parameters(),
            MemorySize.ofBytes(extraction.weights().bytes()),
            afterwards.apply(tally.macs()),
            MemorySize.ofBytes(afterwards.apply(tally.activationBytes())),
            (int) Math.min(batch, Integer.MAX_VALUE));
    return new GraphFeatures(
        model,
        MemorySize.ofBytes(afterwards.apply(tally.peakBytes())),
        tally.operators(),
        tally.coverage(),
        warnings.lines());
  }

  private static void warnOfExternalData(ModelGraph graph, Warnings warnings) {
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
