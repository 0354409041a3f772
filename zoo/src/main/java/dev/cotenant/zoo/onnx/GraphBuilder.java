package dev.cotenant.zoo.onnx;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A graph under construction: names its nodes, declares weights and keeps the output shape of every
 * operator, so that a layer can work out the weights it needs.
 *
 * <p>{@link ImageLayers} and {@link SequenceLayers} are the layers written in terms of this.
 */
public final class GraphBuilder {
  private final OnnxWriter writer = new OnnxWriter();
  private final Map<String, Integer> uses = new HashMap<>();

  /** A float input of one sample's extents. */
  public Tensor input(String name, List<Integer> dims) {
    return input(new Tensor(name, dims), DataType.FLOAT);
  }

  /** An input of token numbers. */
  public Tensor integerInput(String name, List<Integer> dims) {
    return input(new Tensor(name, dims), DataType.INT64);
  }

  private Tensor input(Tensor tensor, DataType type) {
    writer.input(tensor, type);
    return tensor;
  }

  /**
   * Adds an operator.
   *
   * @param operator its ONNX name
   * @param inputs names of tensors, weights and constants, in order
   * @param dims extents of its output for one sample
   */
  public Tensor node(
      String operator, List<String> inputs, List<Integer> dims, AttributeProto... attributes) {
    String name = unique(operator);
    String output = name + "_output_0";
    writer.node(new NodeProto(name, operator, inputs, List.of(output), List.of(attributes)));
    return new Tensor(output, dims);
  }

  /** Adds an operator that changes no shape. */
  public Tensor elementwise(String operator, Tensor x, AttributeProto... attributes) {
    return node(operator, List.of(x.name()), x.dims(), attributes);
  }

  /** Adds an operator with two inputs and the shape of the first. */
  public Tensor elementwise(String operator, Tensor x, Tensor y) {
    return node(operator, List.of(x.name(), y.name()), x.dims());
  }

  /** Splits the axis after the batch into two halves. */
  public List<Tensor> halves(Tensor x) {
    return cut(x, 0, 2);
  }

  /** Splits the last axis into equal parts. */
  public List<Tensor> splitFeatures(Tensor x, int parts) {
    return cut(x, x.dims().size() - 1, parts);
  }

  private List<Tensor> cut(Tensor x, int dim, int count) {
    int[] sizes = new int[count];
    Arrays.fill(sizes, x.dims().get(dim) / count);
    String name = unique("Split");
    List<Tensor> parts = new ArrayList<>();
    for (int index = 0; index < sizes.length; index++) {
      List<Integer> dims = new ArrayList<>(x.dims());
      dims.set(dim, sizes[index]);
      parts.add(new Tensor(name + "_output_" + index, dims));
    }
    writer.node(
        new NodeProto(
            name,
            "Split",
            List.of(x.name(), constant(TensorData.vector(sizes))),
            parts.stream().map(Tensor::name).toList(),
            List.of(AttributeProto.of("axis", dim + 1))));
    return parts;
  }

  /** The same elements in a different shape. */
  public Tensor reshape(Tensor x, List<Integer> dims) {
    int[] shape = new int[dims.size() + 1];
    for (int axis = 0; axis < dims.size(); axis++) {
      shape[axis + 1] = dims.get(axis);
    }
    return node("Reshape", List.of(x.name(), constant(TensorData.vector(shape))), dims);
  }

  /** Declares a weight and returns its name. */
  public String weight(String name, Integer... dims) {
    writer.weight(name, List.of(dims));
    return name;
  }

  /** Adds a constant whose elements are stored in the graph and returns its name. */
  public String constant(TensorData data) {
    String name = unique("Constant");
    String output = name + "_output_0";
    writer.node(
        new NodeProto(
            name,
            "Constant",
            List.of(),
            List.of(output),
            List.of(new AttributeProto.Constant("value", data))));
    return output;
  }

  /** A name that is unique in the graph. */
  public String unique(String stem) {
    int number = uses.merge(stem, 1, Integer::sum) - 1;
    return stem + "_" + number;
  }

  public void output(Tensor tensor) {
    writer.output(tensor);
  }

  public byte[] toOnnx(String graphName) {
    return writer.model(graphName);
  }
}
