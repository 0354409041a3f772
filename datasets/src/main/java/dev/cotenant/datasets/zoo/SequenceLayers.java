package dev.cotenant.datasets.zoo;

import java.util.ArrayList;
import java.util.List;

/** Layers of transformers, written as the PyTorch exporter writes them for inference. */
final class SequenceLayers {
  private final GraphBuilder graph;

  SequenceLayers(GraphBuilder graph) {
    this.graph = graph;
  }

  /** Rows of a table of {@code entries}, one for each number in {@code indices}. */
  Tensor embedding(String indices, List<Integer> indexDims, int entries, int features) {
    String table = graph.weight(graph.unique("embedding") + ".weight", entries, features);
    List<Integer> dims = new ArrayList<>(indexDims);
    dims.add(features);
    return graph.node("Gather", List.of(table, indices), dims);
  }

  /** The vector of the token at {@code position} of each sequence. */
  Tensor token(Tensor x, int position) {
    String index = graph.constant(TensorData.scalar((long) position));
    return graph.node(
        "Gather", List.of(x.name(), index), List.of(x.features()), Attribute.of("axis", 1));
  }

  /** A linear layer on every token. */
  Tensor linear(Tensor x, int features) {
    String weight = graph.weight(graph.unique("onnx::MatMul"), x.features(), features);
    String bias = graph.weight(graph.unique("linear") + ".bias", features);
    List<Integer> dims = x.dimsWithFeatures(features);
    Tensor product = graph.node("MatMul", List.of(x.name(), weight), dims);
    return graph.node("Add", List.of(bias, product.name()), dims);
  }

  /** The product of two activations, the last two axes being matrices. */
  Tensor matMul(Tensor left, Tensor right) {
    return graph.node(
        "MatMul", List.of(left.name(), right.name()), left.dimsWithFeatures(right.features()));
  }

  Tensor layerNorm(Tensor x, float epsilon) {
    String module = graph.unique("norm");
    String weight = graph.weight(module + ".weight", x.features());
    String bias = graph.weight(module + ".bias", x.features());
    return graph.node(
        "LayerNormalization",
        List.of(x.name(), weight, bias),
        x.dims(),
        Attribute.of("axis", -1),
        Attribute.of("epsilon", epsilon));
  }

  Tensor softmax(Tensor x) {
    return graph.elementwise("Softmax", x, Attribute.of("axis", -1));
  }

  Tensor tanh(Tensor x) {
    return graph.elementwise("Tanh", x);
  }

  Tensor add(Tensor x, Tensor y) {
    return graph.elementwise("Add", x, y);
  }

  /** Gaussian error linear unit, x/2 · (1 + erf(x/√2)); opset 17 has no operator for it. */
  Tensor gelu(Tensor x) {
    Tensor scaled = withScalar("Div", x, (float) Math.sqrt(2));
    Tensor shifted = withScalar("Add", graph.elementwise("Erf", scaled), 1f);
    return withScalar("Mul", graph.elementwise("Mul", x, shifted), 0.5f);
  }

  /** An elementwise operator whose second operand is one number. */
  Tensor withScalar(String operator, Tensor x, float value) {
    String scalar = graph.constant(TensorData.scalar(value));
    return graph.node(operator, List.of(x.name(), scalar), x.dims());
  }

  /**
   * Cuts the features of every token into heads: tokens × (heads · each) → tokens × heads × each.
   */
  Tensor splitHeads(Tensor x, int heads) {
    int each = x.features() / heads;
    String shape = graph.constant(TensorData.vector(0, 0, heads, each));
    return graph.node(
        "Reshape", List.of(x.name(), shape), List.of(x.dims().getFirst(), heads, each));
  }

  /** Joins what {@link #splitHeads} cut. */
  Tensor joinHeads(Tensor x) {
    int features = x.dims().get(1) * x.dims().get(2);
    String shape = graph.constant(TensorData.vector(0, 0, features));
    return graph.node("Reshape", List.of(x.name(), shape), List.of(x.dims().getFirst(), features));
  }

  /** Reorders the axes after the batch; {@code order} counts the batch as axis 0. */
  Tensor transpose(Tensor x, int... order) {
    List<Integer> dims = new ArrayList<>();
    for (int axis = 1; axis < order.length; axis++) {
      dims.add(x.dims().get(order[axis] - 1));
    }
    return graph.node("Transpose", List.of(x.name()), dims, Attribute.ofAll("perm", order));
  }

  /** What is added to attention scores: 0 where the mask is 1, −10,000 where it is 0. */
  Tensor attentionBias(Tensor mask) {
    int tokens = mask.features();
    Tensor rows = unsqueeze(mask, 1, List.of(1, tokens));
    Tensor heads = unsqueeze(rows, 2, List.of(1, 1, tokens));
    Tensor kept = graph.elementwise("Cast", heads, Attribute.of("to", ElementType.FLOAT.code()));
    String one = graph.constant(TensorData.scalar(1f));
    Tensor hidden = graph.node("Sub", List.of(one, kept.name()), kept.dims());
    return withScalar("Mul", hidden, -10_000f);
  }

  private Tensor unsqueeze(Tensor x, int axis, List<Integer> dims) {
    String axes = graph.constant(TensorData.vector(axis));
    return graph.node("Unsqueeze", List.of(x.name(), axes), dims);
  }
}
