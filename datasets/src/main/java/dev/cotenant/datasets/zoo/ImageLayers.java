package dev.cotenant.datasets.zoo;

import dev.cotenant.datasets.zoo.Window.Extent;
import dev.cotenant.domain.InputException;
import java.util.ArrayList;
import java.util.List;

/** Layers of convolutional networks, written as the PyTorch exporter writes them for inference. */
final class ImageLayers {
  private static final int RGB = 3;

  private final GraphBuilder graph;

  ImageLayers(GraphBuilder graph) {
    this.graph = graph;
  }

  Tensor input(InputShape.Image image) {
    return graph.input("input", List.of(RGB, image.height(), image.width()));
  }

  Tensor conv(Tensor x, Convolution layer) {
    Window window = layer.window();
    Extent kernel = window.kernel();
    List<String> inputs = new ArrayList<>(List.of(x.name()));
    inputs.add(
        graph.weight(
            weightName(layer),
            layer.channels(),
            x.channels() / layer.groups(),
            kernel.height(),
            kernel.width()));
    if (layer.bias() != Convolution.Bias.NONE) {
      inputs.add(graph.weight(biasName(inputs.getLast()), layer.channels()));
    }
    return graph.node(
        "Conv",
        inputs,
        dims(layer.channels(), positive(window.output(extent(x)), x)),
        Attribute.ofAll("dilations", 1, 1),
        Attribute.of("group", layer.groups()),
        kernelShape(window),
        pads(window),
        strides(window));
  }

  /**
   * The exporter names weights that it has changed by folding after a counter and leaves those of
   * untouched modules theirs; a reader can tell from this that a normalisation was there.
   */
  private String weightName(Convolution layer) {
    return layer.bias() == Convolution.Bias.FOLDED
        ? graph.unique("onnx::Conv")
        : graph.unique("conv") + ".weight";
  }

  private String biasName(String weight) {
    return weight.startsWith("onnx::")
        ? graph.unique("onnx::Conv")
        : weight.replaceFirst("weight$", "bias");
  }

  Tensor convRelu(Tensor x, Convolution layer) {
    return relu(conv(x, layer));
  }

  /** A batch normalisation that no convolution precedes, so that it stays in the graph. */
  Tensor batchNorm(Tensor x) {
    String module = graph.unique("norm");
    List<String> inputs = new ArrayList<>(List.of(x.name()));
    for (String parameter : List.of("weight", "bias", "running_mean", "running_var")) {
      inputs.add(graph.weight(module + "." + parameter, x.channels()));
    }
    return graph.node(
        "BatchNormalization",
        inputs,
        x.dims(),
        Attribute.of("epsilon", 1e-5f),
        Attribute.of("momentum", 0.9f),
        Attribute.of("training_mode", 0));
  }

  Tensor relu(Tensor x) {
    return graph.elementwise("Relu", x);
  }

  Tensor relu6(Tensor x) {
    String low = graph.constant(TensorData.scalar(0f));
    String high = graph.constant(TensorData.scalar(6f));
    return graph.node("Clip", List.of(x.name(), low, high), x.dims());
  }

  Tensor sigmoid(Tensor x) {
    return graph.elementwise("Sigmoid", x);
  }

  Tensor silu(Tensor x) {
    return multiply(x, sigmoid(x));
  }

  Tensor add(Tensor x, Tensor y) {
    return graph.elementwise("Add", x, y);
  }

  /** Multiplies element by element; {@code factor} may be one number a channel. */
  Tensor multiply(Tensor x, Tensor factor) {
    return graph.elementwise("Mul", x, factor);
  }

  Tensor concat(List<Tensor> parts) {
    int channels = parts.stream().mapToInt(Tensor::channels).sum();
    return graph.node(
        "Concat",
        parts.stream().map(Tensor::name).toList(),
        dims(channels, extent(parts.getFirst())),
        Attribute.of("axis", 1));
  }

  Tensor maxPool(Tensor x, Window window) {
    return maxPool(x, window, window.output(extent(x)), 0);
  }

  /** A pooling whose last window may reach beyond the image. */
  Tensor maxPoolRoundedUp(Tensor x, Window window) {
    return maxPool(x, window, window.outputRoundedUp(extent(x)), 1);
  }

  private Tensor maxPool(Tensor x, Window window, Extent output, int ceilMode) {
    return graph.node(
        "MaxPool",
        List.of(x.name()),
        dims(x.channels(), positive(output, x)),
        Attribute.of("ceil_mode", ceilMode),
        kernelShape(window),
        pads(window),
        strides(window));
  }

  Tensor averagePool(Tensor x, Window window) {
    return graph.node(
        "AveragePool",
        List.of(x.name()),
        dims(x.channels(), positive(window.output(extent(x)), x)),
        Attribute.of("ceil_mode", 0),
        Attribute.of("count_include_pad", 1),
        kernelShape(window),
        pads(window),
        strides(window));
  }

  /**
   * Averages to a given extent, which the exporter can write only where it divides the input.
   *
   * @throws InputException {@code unsupported-input-shape} where it does not
   */
  Tensor adaptiveAveragePool(Tensor x, int side) {
    if (x.height() % side != 0 || x.width() % side != 0) {
      throw InputException.invalidArgument(
          "unsupported-input-shape",
          "The image leaves "
              + x.height()
              + "x"
              + x.width()
              + " before a pooling to "
              + side
              + "x"
              + side
              + ", which does not divide it: use another image size, such as 224.");
    }
    Extent step = new Extent(x.height() / side, x.width() / side);
    return graph.node(
        "AveragePool",
        List.of(x.name()),
        dims(x.channels(), new Extent(side, side)),
        Attribute.ofAll("kernel_shape", step.height(), step.width()),
        Attribute.ofAll("strides", step.height(), step.width()));
  }

  Tensor globalAveragePool(Tensor x) {
    return graph.node("GlobalAveragePool", List.of(x.name()), dims(x.channels(), new Extent(1, 1)));
  }

  /** The mean over the image, written as a reduction: one number a channel. */
  Tensor spatialMean(Tensor x) {
    return graph.node(
        "ReduceMean",
        List.of(x.name()),
        List.of(x.channels()),
        Attribute.ofAll("axes", 2, 3),
        Attribute.of("keepdims", 0));
  }

  Tensor flatten(Tensor x) {
    int features = x.dims().stream().reduce(1, Math::multiplyExact);
    return graph.node("Flatten", List.of(x.name()), List.of(features), Attribute.of("axis", 1));
  }

  /** A linear layer on one vector a sample. */
  Tensor linear(Tensor x, int features) {
    return gemm(graph, x, features);
  }

  static Tensor gemm(GraphBuilder graph, Tensor x, int features) {
    String module = graph.unique("linear");
    String weight = graph.weight(module + ".weight", features, x.features());
    String bias = graph.weight(module + ".bias", features);
    return graph.node(
        "Gemm",
        List.of(x.name(), weight, bias),
        List.of(features),
        Attribute.of("alpha", 1f),
        Attribute.of("beta", 1f),
        Attribute.of("transB", 1));
  }

  /** Interleaves the channels of {@code groups} groups [ShuffleNet, 3.1]. */
  Tensor shuffleChannels(Tensor x, int groups) {
    int each = x.channels() / groups;
    Tensor grouped = reshape(x, List.of(groups, each, x.height(), x.width()));
    Tensor swapped =
        graph.node(
            "Transpose",
            List.of(grouped.name()),
            List.of(each, groups, x.height(), x.width()),
            Attribute.ofAll("perm", 0, 2, 1, 3, 4));
    return reshape(swapped, x.dims());
  }

  private Tensor reshape(Tensor x, List<Integer> dims) {
    int[] shape = new int[dims.size() + 1];
    for (int axis = 0; axis < dims.size(); axis++) {
      shape[axis + 1] = dims.get(axis);
    }
    return graph.node("Reshape", List.of(x.name(), graph.constant(TensorData.vector(shape))), dims);
  }

  List<Tensor> halves(Tensor x) {
    return graph.halves(x);
  }

  private static Extent positive(Extent output, Tensor x) {
    if (output.height() < 1 || output.width() < 1) {
      throw InputException.invalidArgument(
          "unsupported-input-shape",
          "The image is too small: a layer would get "
              + x.height()
              + "x"
              + x.width()
              + " pixels and give none: use a larger image, such as 224.");
    }
    return output;
  }

  private static Extent extent(Tensor x) {
    return new Extent(x.height(), x.width());
  }

  private static List<Integer> dims(int channels, Extent extent) {
    return List.of(channels, extent.height(), extent.width());
  }

  private static Attribute kernelShape(Window window) {
    return Attribute.ofAll("kernel_shape", window.kernel().height(), window.kernel().width());
  }

  private static Attribute pads(Window window) {
    Extent padding = window.padding();
    return Attribute.ofAll(
        "pads", padding.height(), padding.width(), padding.height(), padding.width());
  }

  private static Attribute strides(Window window) {
    return Attribute.ofAll("strides", window.stride(), window.stride());
  }
}
