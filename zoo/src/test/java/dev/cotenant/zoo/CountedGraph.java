package dev.cotenant.zoo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Counts what a zoo graph costs for one sample by reading the written file again: shapes are
 * followed from the inputs by each operator's own rule in the ONNX specification, for the operators
 * that the zoo emits and no others.
 */
final class CountedGraph {
  private final Map<String, List<Long>> shapes = new HashMap<>();
  private final Map<String, List<Long>> weights = new HashMap<>();
  private final Map<String, List<Long>> constants = new HashMap<>();
  private final Map<String, Integer> operators = new TreeMap<>();
  private final List<ReadMessage> outputs;
  private long multiplyAccumulates;
  private long storedNumbers;

  CountedGraph(byte[] onnx) {
    ReadMessage graph = ReadMessage.parse(ByteBuffer.wrap(onnx)).message(7);
    graph.messages(5).forEach(tensor -> weights.put(tensor.text(8), tensor.integers(1)));
    shapes.putAll(weights);
    for (ReadMessage input : graph.messages(11)) {
      shapes.put(input.text(1), declared(input));
    }
    graph.messages(1).forEach(this::follow);
    outputs = graph.messages(12);
  }

  long multiplyAccumulates() {
    return multiplyAccumulates;
  }

  long parameters() {
    return weights.values().stream().mapToLong(CountedGraph::product).sum();
  }

  /**
   * Parameters as the modules have them that the graph was folded from: a folded normalisation has
   * two for each channel where the graph has one bias, and one that is kept has two beside its
   * running mean and variance.
   */
  long trainableParameters() {
    long statistics =
        weights.entrySet().stream()
            .filter(weight -> weight.getKey().contains(".running_"))
            .mapToLong(weight -> product(weight.getValue()))
            .sum();
    return parameters() + foldedChannels() - statistics;
  }

  /** Channels whose normalisation is folded into a convolution. */
  long foldedChannels() {
    return weights.entrySet().stream()
        .filter(weight -> weight.getKey().startsWith("onnx::Conv"))
        .filter(weight -> weight.getValue().size() == 1)
        .mapToLong(weight -> product(weight.getValue()))
        .sum();
  }

  /** Elements of vectors and tensors that are stored in the graph as numbers. */
  long storedNumbers() {
    return storedNumbers;
  }

  int count(String operator) {
    return operators.getOrDefault(operator, 0);
  }

  Map<String, Integer> operators() {
    return operators;
  }

  /** Whether every output has the shape that the file declares for it. */
  boolean outputsAreAsDeclared() {
    return outputs.stream().allMatch(output -> declared(output).equals(shapes.get(output.text(1))));
  }

  private static List<Long> declared(ReadMessage valueInfo) {
    return valueInfo.message(2).message(1).message(2).messages(1).stream()
        .map(dim -> dim.integers(1).isEmpty() ? 1L : dim.integer(1))
        .toList();
  }

  private void follow(ReadMessage node) {
    String operator = node.text(4);
    operators.merge(operator, 1, Integer::sum);
    List<String> inputs = node.texts(1);
    if (operator.equals("Split")) {
      split(node, inputs);
      return;
    }
    List<Long> result =
        switch (operator) {
          case "Constant" -> constant(node);
          case "Conv" -> convolution(node, shape(inputs, 0), shape(inputs, 1));
          case "MaxPool", "AveragePool" -> pooling(node, shape(inputs, 0));
          case "ConvTranspose" -> transposed(node, shape(inputs, 0), shape(inputs, 1));
          case "LSTM" -> recurrent(shape(inputs, 0), shape(inputs, 1), shape(inputs, 2));
          case "Resize" -> scaled(shape(inputs, 0));
          case "Pad" -> padded(shape(inputs, 0), elements(inputs.get(1)));
          case "Slice" -> sliced(shape(inputs, 0), inputs);
          case "GlobalAveragePool", "GlobalMaxPool" ->
              List.of(shape(inputs, 0).get(0), shape(inputs, 0).get(1), 1L, 1L);
          case "ReduceMean" -> shape(inputs, 0).subList(0, 2);
          case "Flatten" -> flat(shape(inputs, 0));
          case "Gemm" -> gemm(shape(inputs, 0), shape(inputs, 1));
          case "MatMul" -> matMul(shape(inputs, 0), shape(inputs, 1));
          case "Concat" -> concat(node, inputs);
          case "Gather" -> gather(node, shape(inputs, 0), shape(inputs, 1));
          case "Unsqueeze" -> unsqueeze(shape(inputs, 0), elements(inputs.get(1)));
          case "Reshape" -> reshape(shape(inputs, 0), elements(inputs.get(1)));
          case "Transpose" ->
              attribute(node, "perm").stream()
                  .map(axis -> shape(inputs, 0).get(axis.intValue()))
                  .toList();
          case "Relu",
              "LeakyRelu",
              "HardSwish",
              "HardSigmoid",
              "LogSoftmax",
              "Sin",
              "Cos",
              "Clip",
              "Sigmoid",
              "Tanh",
              "Erf",
              "Softmax",
              "Cast",
              "BatchNormalization",
              "LayerNormalization" ->
              shape(inputs, 0);
          case "Add", "Sub", "Mul", "Div" -> broadcast(shape(inputs, 0), shape(inputs, 1));
          default -> throw new AssertionError("the zoo emits " + operator + " now; count it");
        };
    node.texts(2).forEach(output -> shapes.put(output, result));
  }

  private List<Long> shape(List<String> inputs, int index) {
    List<Long> shape = shapes.get(inputs.get(index));
    if (shape == null) {
      throw new AssertionError(inputs.get(index) + " is read before it is written");
    }
    return shape;
  }

  private List<Long> elements(String name) {
    return Objects.requireNonNull(constants.get(name), name);
  }

  private List<Long> constant(ReadMessage node) {
    ReadMessage tensor = node.message(5).message(5);
    if (tensor.integer(2) == 7) {
      LongBuffer values = tensor.bytes(9).slice().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
      List<Long> list = new ArrayList<>();
      while (values.hasRemaining()) {
        list.add(values.get());
      }
      constants.put(node.text(2), list);
    } else if (!tensor.integers(1).isEmpty()) {
      storedNumbers += product(tensor.integers(1));
    }
    return tensor.integers(1);
  }

  private List<Long> convolution(ReadMessage node, List<Long> x, List<Long> weight) {
    long group = attribute(node, "group").getFirst();
    if (x.get(1) != weight.get(1) * group || weight.get(0) % group != 0) {
      throw new AssertionError(node.text(3) + ": " + x + " does not fit " + weight);
    }
    List<Long> result = new ArrayList<>(List.of(x.get(0), weight.get(0)));
    result.addAll(windows(node, x));
    multiplyAccumulates += product(result) * product(weight.subList(1, 4));
    return result;
  }

  private static List<Long> pooling(ReadMessage node, List<Long> x) {
    List<Long> result = new ArrayList<>(x.subList(0, 2));
    result.addAll(windows(node, x));
    return result;
  }

  private static List<Long> windows(ReadMessage node, List<Long> x) {
    List<Long> kernel = attribute(node, "kernel_shape");
    List<Long> strides = attribute(node, "strides");
    List<Long> pads = attribute(node, "pads");
    boolean ceil = attribute(node, "ceil_mode").equals(List.of(1L));
    List<Long> result = new ArrayList<>();
    for (int axis = 0; axis < 2; axis++) {
      long pad = pads.isEmpty() ? 0 : pads.get(axis) + pads.get(axis + 2);
      long room = x.get(axis + 2) + pad - kernel.get(axis);
      long stride = strides.get(axis);
      result.add((ceil ? Math.ceilDiv(room, stride) : Math.floorDiv(room, stride)) + 1);
    }
    return result;
  }

  private List<Long> gemm(List<Long> x, List<Long> transposedWeight) {
    multiplyAccumulates += product(x) * transposedWeight.get(0);
    return inner(x.get(1), transposedWeight.get(1), List.of(x.get(0), transposedWeight.get(0)));
  }

  private List<Long> matMul(List<Long> left, List<Long> right) {
    int rank = left.size();
    long columns = right.getLast();
    multiplyAccumulates += product(left) * columns;
    List<Long> result = new ArrayList<>(left.subList(0, rank - 1));
    result.add(columns);
    return inner(left.getLast(), right.get(right.size() - 2), result);
  }

  private static List<Long> inner(long left, long right, List<Long> result) {
    if (left != right) {
      throw new AssertionError("inner extents differ: " + left + " and " + right);
    }
    return result;
  }

  private List<Long> concat(ReadMessage node, List<String> inputs) {
    List<Long> result = new ArrayList<>(shape(inputs, 0));
    int axis = axis(node, result.size());
    result.set(axis, 0L);
    for (int index = 0; index < inputs.size(); index++) {
      List<Long> part = new ArrayList<>(shape(inputs, index));
      long extent = part.set(axis, result.get(axis));
      inner(part.hashCode(), result.hashCode(), part);
      result.set(axis, result.get(axis) + extent);
    }
    return result;
  }

  private static int axis(ReadMessage node, int rank) {
    int axis = attribute(node, "axis").getFirst().intValue();
    return axis < 0 ? rank + axis : axis;
  }

  private void split(ReadMessage node, List<String> inputs) {
    List<Long> sizes = elements(inputs.get(1));
    int axis = axis(node, shape(inputs, 0).size());
    inner(sizes.stream().mapToLong(Long::longValue).sum(), shape(inputs, 0).get(axis), sizes);
    for (int part = 0; part < sizes.size(); part++) {
      List<Long> result = new ArrayList<>(shape(inputs, 0));
      result.set(axis, sizes.get(part));
      shapes.put(node.texts(2).get(part), result);
    }
  }

  private List<Long> transposed(ReadMessage node, List<Long> x, List<Long> weight) {
    multiplyAccumulates += product(x) * product(weight.subList(1, 4));
    List<Long> pads = attribute(node, "pads");
    List<Long> result = new ArrayList<>(List.of(1L, weight.get(1)));
    for (int axis = 0; axis < 2; axis++) {
      result.add(
          (x.get(axis + 2) - 1) * attribute(node, "strides").get(axis)
              + attribute(node, "kernel_shape").get(axis)
              + attribute(node, "output_padding").get(axis)
              - pads.get(axis)
              - pads.get(axis + 2));
    }
    return inner(x.get(1), weight.get(0), result);
  }

  private List<Long> recurrent(List<Long> x, List<Long> input, List<Long> state) {
    multiplyAccumulates += x.get(0) * (product(input) + product(state));
    List<Long> result = List.of(x.get(0), input.get(0), x.get(1), state.get(2));
    return inner(x.get(2), input.get(2), result);
  }

  private static List<Long> flat(List<Long> x) {
    return List.of(x.get(0), product(x.subList(1, x.size())));
  }

  private static List<Long> scaled(List<Long> x) {
    return List.of(x.get(0), x.get(1), 2 * x.get(2), 2 * x.get(3));
  }

  private static List<Long> padded(List<Long> x, List<Long> pads) {
    List<Long> result = new ArrayList<>();
    for (int axis = 0; axis < x.size(); axis++) {
      result.add(x.get(axis) + pads.get(axis) + pads.get(axis + x.size()));
    }
    return result;
  }

  private List<Long> sliced(List<Long> x, List<String> inputs) {
    List<Long> result = new ArrayList<>(x);
    long length = elements(inputs.get(2)).getFirst() - elements(inputs.get(1)).getFirst();
    result.set(elements(inputs.get(3)).getFirst().intValue(), length);
    return result;
  }

  private static List<Long> gather(ReadMessage node, List<Long> data, List<Long> indices) {
    List<Long> axis = attribute(node, "axis");
    int at = axis.isEmpty() ? 0 : axis.getFirst().intValue();
    List<Long> result = new ArrayList<>(data.subList(0, at));
    result.addAll(indices);
    result.addAll(data.subList(at + 1, data.size()));
    return result;
  }

  private static List<Long> unsqueeze(List<Long> x, List<Long> axes) {
    List<Long> result = new ArrayList<>(x);
    axes.forEach(axis -> result.add(axis.intValue(), 1L));
    return result;
  }

  private static List<Long> reshape(List<Long> x, List<Long> wanted) {
    List<Long> result = new ArrayList<>();
    for (int axis = 0; axis < wanted.size(); axis++) {
      long extent = wanted.get(axis);
      result.add(axis == 0 && extent <= 0 ? batch(x, wanted) : extent == 0 ? x.get(axis) : extent);
    }
    return inner(product(x), product(result), result);
  }

  /** What is left for the first axis. */
  private static long batch(List<Long> x, List<Long> wanted) {
    long others = 1;
    for (int axis = 1; axis < wanted.size(); axis++) {
      others *= wanted.get(axis) == 0 ? x.get(axis) : wanted.get(axis);
    }
    return product(x) / others;
  }

  private static List<Long> broadcast(List<Long> left, List<Long> right) {
    int rank = Math.max(left.size(), right.size());
    List<Long> result = new ArrayList<>();
    for (int axis = 0; axis < rank; axis++) {
      long first = fromEnd(left, rank - axis);
      long second = fromEnd(right, rank - axis);
      if (first != second && first != 1 && second != 1) {
        throw new AssertionError(left + " and " + right + " do not broadcast");
      }
      result.add(Math.max(first, second));
    }
    return result;
  }

  private static long fromEnd(List<Long> shape, int position) {
    return position > shape.size() ? 1 : shape.get(shape.size() - position);
  }

  private static List<Long> attribute(ReadMessage node, String name) {
    return node.messages(5).stream()
        .filter(attribute -> attribute.text(1).equals(name))
        .flatMap(a -> (a.integers(8).isEmpty() ? a.integers(3) : a.integers(8)).stream())
        .toList();
  }

  private static long product(List<Long> extents) {
    return extents.stream().reduce(1L, Math::multiplyExact);
  }
}
