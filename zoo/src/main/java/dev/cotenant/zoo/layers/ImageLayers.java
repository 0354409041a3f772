package dev.cotenant.zoo.layers;

import dev.cotenant.domain.InputException;
import dev.cotenant.zoo.layers.Window.Extent;
import dev.cotenant.zoo.onnx.AttributeProto;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import dev.cotenant.zoo.onnx.TensorData;
import java.util.ArrayList;
import java.util.List;

/** Layers of convolutional networks, written as the PyTorch exporter writes them for inference. */
public final class ImageLayers {
  private final GraphBuilder graph;

  public ImageLayers(GraphBuilder graph) {
    this.graph = graph;
  }

  public Tensor input(InputShape.Image image, int channels) {
    return graph.input("input", List.of(channels, image.height(), image.width()));
  }

  public GraphBuilder graph() {
    return graph;
  }

  public Tensor conv(Tensor x, Convolution layer) {
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
        AttributeProto.ofAll("dilations", 1, 1),
        AttributeProto.of("group", layer.groups()),
        kernelShape(window),
        pads(window),
        strides(window));
  }

  /**
   * The exporter numbers weights that it changed by folding and keeps the names of those of
   * untouched modules; a reader recognizes a folded normalisation by this.
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

  public Tensor convRelu(Tensor x, Convolution layer) {
    return relu(conv(x, layer));
  }

  /** A batch normalisation that no convolution precedes, so that it stays in the graph. */
  public Tensor batchNorm(Tensor x) {
    String module = graph.unique("norm");
    List<String> inputs = new ArrayList<>(List.of(x.name()));
    for (String parameter : List.of("weight", "bias", "running_mean", "running_var")) {
      inputs.add(graph.weight(module + "." + parameter, x.channels()));
    }
    return graph.node(
        "BatchNormalization",
        inputs,
        x.dims(),
        AttributeProto.of("epsilon", 1e-5f),
        AttributeProto.of("momentum", 0.9f),
        AttributeProto.of("training_mode", 0));
  }

  public Tensor relu(Tensor x) {
    return graph.elementwise("Relu", x);
  }

  /** A convolution and what its module does with the result. */
  public Tensor conv(Tensor x, Convolution layer, Activation activation) {
    return activation.addTo(graph, conv(x, layer));
  }

  public Tensor activate(Tensor x, Activation activation) {
    return activation.addTo(graph, x);
  }

  /** Scales each channel by what two small layers make of all channels' means [SENet, 3]. */
  public Tensor excite(Tensor x, Excitation excitation) {
    Tensor scale = globalAveragePool(x);
    scale =
        conv(
            scale,
            Convolution.biased(excitation.squeezed(), Window.kernel(1)),
            excitation.activation());
    scale = conv(scale, Convolution.biased(x.channels(), Window.kernel(1)), excitation.gate());
    return multiply(x, scale);
  }

  public Tensor add(Tensor x, Tensor y) {
    return graph.elementwise("Add", x, y);
  }

  /** Multiplies element by element; {@code factor} may be one number a channel. */
  public Tensor multiply(Tensor x, Tensor factor) {
    return graph.elementwise("Mul", x, factor);
  }

  public Tensor concat(List<Tensor> parts) {
    int channels = parts.stream().mapToInt(Tensor::channels).sum();
    return graph.node(
        "Concat",
        parts.stream().map(Tensor::name).toList(),
        dims(channels, extent(parts.getFirst())),
        AttributeProto.of("axis", 1));
  }

  public Tensor maxPool(Tensor x, Window window) {
    return maxPool(x, window, window.output(extent(x)), 0);
  }

  /** A pooling whose last window may reach beyond the image. */
  public Tensor maxPoolRoundedUp(Tensor x, Window window) {
    return maxPool(x, window, window.outputRoundedUp(extent(x)), 1);
  }

  private Tensor maxPool(Tensor x, Window window, Extent output, int ceilMode) {
    return graph.node(
        "MaxPool",
        List.of(x.name()),
        dims(x.channels(), positive(output, x)),
        AttributeProto.of("ceil_mode", ceilMode),
        kernelShape(window),
        pads(window),
        strides(window));
  }

  public Tensor averagePool(Tensor x, Window window) {
    return graph.node(
        "AveragePool",
        List.of(x.name()),
        dims(x.channels(), positive(window.output(extent(x)), x)),
        AttributeProto.of("ceil_mode", 0),
        AttributeProto.of("count_include_pad", 1),
        kernelShape(window),
        pads(window),
        strides(window));
  }

  /**
   * Averages to a given extent, which the exporter can write only where it divides the input.
   *
   * @throws InputException {@code unsupported-input-shape} where it does not
   */
  public Tensor adaptiveAveragePool(Tensor x, int side) {
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
        AttributeProto.ofAll("kernel_shape", step.height(), step.width()),
        AttributeProto.ofAll("strides", step.height(), step.width()));
  }

  public Tensor globalAveragePool(Tensor x) {
    return graph.node("GlobalAveragePool", List.of(x.name()), dims(x.channels(), new Extent(1, 1)));
  }

  /** The mean over the image, written as a reduction: one number a channel. */
  public Tensor spatialMean(Tensor x) {
    return graph.node(
        "ReduceMean",
        List.of(x.name()),
        List.of(x.channels()),
        AttributeProto.ofAll("axes", 2, 3),
        AttributeProto.of("keepdims", 0));
  }

  public Tensor flatten(Tensor x) {
    int features = x.dims().stream().reduce(1, Math::multiplyExact);
    return graph.node(
        "Flatten", List.of(x.name()), List.of(features), AttributeProto.of("axis", 1));
  }

  /** A linear layer on one vector a sample. */
  public Tensor linear(Tensor x, int features) {
    return gemm(graph, x, features);
  }

  public Tensor linearWithoutBias(Tensor x, int features) {
    return new SequenceLayers(graph).linearWithoutBias(x, features);
  }

  public static Tensor gemm(GraphBuilder graph, Tensor x, int features) {
    String module = graph.unique("linear");
    String weight = graph.weight(module + ".weight", features, x.features());
    String bias = graph.weight(module + ".bias", features);
    return graph.node(
        "Gemm",
        List.of(x.name(), weight, bias),
        List.of(features),
        AttributeProto.of("alpha", 1f),
        AttributeProto.of("beta", 1f),
        AttributeProto.of("transB", 1));
  }

  /** The mean of each channel and one linear layer: how most networks end. */
  public Tensor classify(Tensor x, int classes) {
    return linear(flatten(globalAveragePool(x)), classes);
  }

  /** Interleaves the channels of {@code groups} groups [ShuffleNet, 3.1]. */
  public Tensor shuffleChannels(Tensor x, int groups) {
    int each = x.channels() / groups;
    Tensor grouped = graph.reshape(x, List.of(groups, each, x.height(), x.width()));
    Tensor swapped =
        graph.node(
            "Transpose",
            List.of(grouped.name()),
            List.of(each, groups, x.height(), x.width()),
            AttributeProto.ofAll("perm", 0, 2, 1, 3, 4));
    return graph.reshape(swapped, x.dims());
  }

  public List<Tensor> halves(Tensor x) {
    return graph.halves(x);
  }

  /** Multiplies each channel by a learned number [ConvNeXt, layer scale]. */
  public Tensor scale(Tensor x) {
    String factors = graph.weight(graph.unique("scale"), x.channels(), 1, 1);
    return graph.node("Mul", List.of(factors, x.name()), x.dims());
  }

  /** The largest value of each channel. */
  public Tensor globalMaxPool(Tensor x) {
    return graph.node("GlobalMaxPool", List.of(x.name()), dims(x.channels(), new Extent(1, 1)));
  }

  /** Doubles height and width by repeating pixels. */
  public Tensor upsample(Tensor x) {
    String scales = graph.constant(TensorData.vector(1f, 1f, 2f, 2f));
    return graph.node(
        "Resize",
        List.of(x.name(), "", scales),
        dims(x.channels(), new Extent(2 * x.height(), 2 * x.width())),
        AttributeProto.of("coordinate_transformation_mode", "asymmetric"),
        AttributeProto.of("mode", "nearest"),
        AttributeProto.of("nearest_mode", "floor"));
  }

  /** Vectors behind each other. */
  public Tensor concatVectors(List<Tensor> parts) {
    return new SequenceLayers(graph).concatFeatures(parts);
  }

  /**
   * A transposed convolution to {@code side} pixels, without bias; normalisation after it is not
   * folded.
   */
  public Tensor convTranspose(Tensor x, int channels, Window window, int side) {
    Extent kernel = window.kernel();
    String weight =
        graph.weight(
            graph.unique("deconv") + ".weight",
            x.channels(),
            channels,
            kernel.height(),
            kernel.width());
    int missing = side - window.transposedOutput(extent(x)).height();
    return graph.node(
        "ConvTranspose",
        List.of(x.name(), weight),
        dims(channels, new Extent(side, side)),
        AttributeProto.ofAll("dilations", 1, 1),
        AttributeProto.of("group", 1),
        AttributeProto.ofAll("output_padding", missing, missing),
        kernelShape(window),
        pads(window),
        strides(window));
  }

  /** A vector of features as channels of a small image. */
  public Tensor unflatten(Tensor x, int channels, int side) {
    return graph.reshape(x, List.of(channels, side, side));
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

  private static AttributeProto kernelShape(Window window) {
    return AttributeProto.ofAll("kernel_shape", window.kernel().height(), window.kernel().width());
  }

  private static AttributeProto pads(Window window) {
    Extent padding = window.padding();
    return AttributeProto.ofAll(
        "pads", padding.height(), padding.width(), padding.height(), padding.width());
  }

  private static AttributeProto strides(Window window) {
    return AttributeProto.ofAll("strides", window.stride(), window.stride());
  }
}
