package dev.cotenant.zoo.layers;

import dev.cotenant.zoo.onnx.AttributeProto;
import dev.cotenant.zoo.onnx.DataType;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import dev.cotenant.zoo.onnx.TensorData;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Layers of transformers, written as the PyTorch exporter writes them for inference. */
public final class SequenceLayers {
  private final GraphBuilder graph;

  public SequenceLayers(GraphBuilder graph) {
    this.graph = graph;
  }

  /** Rows of a table of {@code entries}, one for each number in {@code indices}. */
  public Tensor embedding(String indices, List<Integer> indexDims, int entries, int features) {
    return rows(table(entries, features), indices, indexDims, features);
  }

  /** A table of {@code entries} learned vectors. */
  public String table(int entries, int features) {
    return graph.weight(graph.unique("embedding") + ".weight", entries, features);
  }

  /** Rows of a table, one for each number in {@code indices}. */
  public Tensor rows(String table, String indices, List<Integer> indexDims, int features) {
    List<Integer> dims = new ArrayList<>(indexDims);
    dims.add(features);
    return graph.node("Gather", List.of(table, indices), dims);
  }

  /** The vector of the token at {@code position} of each sequence. */
  public Tensor token(Tensor x, int position) {
    String index = graph.constant(TensorData.scalar((long) position));
    return graph.node(
        "Gather", List.of(x.name(), index), List.of(x.features()), AttributeProto.of("axis", 1));
  }

  /** A linear layer on every token. */
  public Tensor linear(Tensor x, int features) {
    Tensor product = linearWithoutBias(x, features);
    String bias = graph.weight(graph.unique("linear") + ".bias", features);
    return graph.node("Add", List.of(bias, product.name()), product.dims());
  }

  /** A linear layer on every token, without bias. */
  public Tensor linearWithoutBias(Tensor x, int features) {
    String weight = graph.weight(graph.unique("onnx::MatMul"), x.features(), features);
    return graph.node("MatMul", List.of(x.name(), weight), x.dimsWithFeatures(features));
  }

  /** Adds a learned number to each feature. */
  public Tensor bias(Tensor x) {
    String bias = graph.weight(graph.unique("bias"), x.features());
    return graph.node("Add", List.of(x.name(), bias), x.dims());
  }

  /** Scores of every entry of an embedding, which is stored once and transposed for this. */
  public Tensor scores(Tensor x, String embedding, int entries) {
    String transposed =
        graph
            .node(
                "Transpose",
                List.of(embedding),
                List.of(x.features(), entries),
                AttributeProto.ofAll("perm", 1, 0))
            .name();
    return graph.node("MatMul", List.of(x.name(), transposed), x.dimsWithFeatures(entries));
  }

  /** The product of two activations, the last two axes being matrices. */
  public Tensor matMul(Tensor left, Tensor right) {
    return graph.node(
        "MatMul", List.of(left.name(), right.name()), left.dimsWithFeatures(right.features()));
  }

  public Tensor layerNorm(Tensor x, float epsilon) {
    String module = graph.unique("norm");
    String weight = graph.weight(module + ".weight", x.features());
    String bias = graph.weight(module + ".bias", x.features());
    return graph.node(
        "LayerNormalization",
        List.of(x.name(), weight, bias),
        x.dims(),
        AttributeProto.of("axis", -1),
        AttributeProto.of("epsilon", epsilon));
  }

  public Tensor softmax(Tensor x) {
    return graph.elementwise("Softmax", x, AttributeProto.of("axis", -1));
  }

  public Tensor relu(Tensor x) {
    return graph.elementwise("Relu", x);
  }

  /** Cuts the features into three parts. */
  public List<Tensor> thirds(Tensor x) {
    return graph.splitFeatures(x, 3);
  }

  public Tensor tanh(Tensor x) {
    return graph.elementwise("Tanh", x);
  }

  public Tensor add(Tensor x, Tensor y) {
    return graph.elementwise("Add", x, y);
  }

  /** Gaussian error linear unit, x/2 · (1 + erf(x/√2)); opset 17 has no operator for it. */
  public Tensor gelu(Tensor x) {
    Tensor scaled = withScalar("Div", x, (float) Math.sqrt(2));
    Tensor shifted = withScalar("Add", graph.elementwise("Erf", scaled), 1f);
    return withScalar("Mul", graph.elementwise("Mul", x, shifted), 0.5f);
  }

  /** An elementwise operator whose second operand is one number. */
  public Tensor withScalar(String operator, Tensor x, float value) {
    String scalar = graph.constant(TensorData.scalar(value));
    return graph.node(operator, List.of(x.name(), scalar), x.dims());
  }

  /**
   * Cuts the features of every token into heads: tokens × (heads · each) → tokens × heads × each.
   */
  public Tensor splitHeads(Tensor x, int heads) {
    int each = x.features() / heads;
    String shape = graph.constant(TensorData.vector(0, 0, heads, each));
    return graph.node(
        "Reshape", List.of(x.name(), shape), List.of(x.dims().getFirst(), heads, each));
  }

  /** Joins what {@link #splitHeads} cut. */
  public Tensor joinHeads(Tensor x) {
    int features = x.dims().get(1) * x.dims().get(2);
    String shape = graph.constant(TensorData.vector(0, 0, features));
    return graph.node("Reshape", List.of(x.name(), shape), List.of(x.dims().getFirst(), features));
  }

  /** The same elements in a different shape. */
  public Tensor reshape(Tensor x, Integer... dims) {
    return graph.reshape(x, List.of(dims));
  }

  /** The features of all parts behind each other. */
  public Tensor concatFeatures(List<Tensor> parts) {
    int features = parts.stream().mapToInt(Tensor::features).sum();
    return graph.node(
        "Concat",
        parts.stream().map(Tensor::name).toList(),
        parts.getFirst().dimsWithFeatures(features),
        AttributeProto.of("axis", -1));
  }

  /** Reorders the axes after the batch; {@code order} counts the batch as axis 0. */
  public Tensor transpose(Tensor x, int... order) {
    List<Integer> dims = new ArrayList<>();
    for (int axis = 1; axis < order.length; axis++) {
      dims.add(x.dims().get(order[axis] - 1));
    }
    return graph.node("Transpose", List.of(x.name()), dims, AttributeProto.ofAll("perm", order));
  }

  /** Positions 0, 1, … of a sequence as constant indices of one row. */
  public String positions(int tokens) {
    int[] positions = IntStream.range(0, tokens).toArray();
    return graph.constant(TensorData.vector(positions).asRow());
  }

  /** Sines and cosines of places, one vector a place [Vaswani et al., NeurIPS 2017, 3.5]. */
  public Tensor waves(Tensor places, int features) {
    int half = features / 2;
    float[] frequencies = new float[half];
    for (int index = 0; index < half; index++) {
      frequencies[index] = (float) Math.pow(10_000, -index / (double) half);
    }
    String constant = graph.constant(TensorData.vector(frequencies));
    List<Integer> dims = places.dimsWithFeatures(half);
    Tensor angles = graph.node("Mul", List.of(places.name(), constant), dims);
    Tensor sines = graph.elementwise("Sin", angles);
    Tensor cosines = graph.elementwise("Cos", angles);
    return concatFeatures(List.of(sines, cosines));
  }

  /** What is added to attention scores: 0 where the mask is 1, −10,000 where it is 0. */
  public Tensor attentionBias(Tensor mask) {
    int tokens = mask.features();
    Tensor rows = unsqueeze(mask, 1, List.of(1, tokens));
    Tensor heads = unsqueeze(rows, 2, List.of(1, 1, tokens));
    Tensor visible =
        graph.elementwise("Cast", heads, AttributeProto.of("to", DataType.FLOAT.code()));
    String one = graph.constant(TensorData.scalar(1f));
    Tensor hidden = graph.node("Sub", List.of(one, visible.name()), visible.dims());
    return withScalar("Mul", hidden, -10_000f);
  }

  private Tensor unsqueeze(Tensor x, int axis, List<Integer> dims) {
    String axes = graph.constant(TensorData.vector(axis));
    return graph.node("Unsqueeze", List.of(x.name(), axes), dims);
  }
}
