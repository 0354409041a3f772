package dev.cotenant.datasets.zoo;

import dev.cotenant.domain.InputException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Well-known architectures as ONNX graphs.
 *
 * <p>A graph carries shapes only: its weights are initializers whose extents are declared and whose
 * elements would lie in {@code weights.bin}, so that ResNet-50 takes some 30 KB. Graphs look as the
 * PyTorch exporter writes them for inference (opset 17): batch normalisation is folded into the
 * convolution that it follows, dropout is gone, the batch is symbolic. The same name and input give
 * the same bytes.
 */
public final class ModelZoo {
  private static final int IMAGENET_SIDE = 224;
  private static final int INCEPTION_SIDE = 299;

  private static final Map<String, Architecture> ARCHITECTURES =
      new TreeMap<>(
          Map.ofEntries(
              image("alexnet", new AlexNet()),
              image("densenet121", new DenseNet(List.of(6, 12, 24, 16))),
              image("efficientnet_b0", new EfficientNet()),
              image("googlenet", new GoogLeNet()),
              Map.entry("inception_v3", Architecture.ofImages(INCEPTION_SIDE, new InceptionV3())),
              image("mnasnet1_0", new MnasNet()),
              image("mobilenet_v2", new MobileNetV2()),
              image("resnet18", new ResNet(List.of(2, 2, 2, 2), ResNet.Block.BASIC)),
              image("resnet34", new ResNet(List.of(3, 4, 6, 3), ResNet.Block.BASIC)),
              image("resnet50", new ResNet(List.of(3, 4, 6, 3), ResNet.Block.BOTTLENECK)),
              image("resnet101", new ResNet(List.of(3, 4, 23, 3), ResNet.Block.BOTTLENECK)),
              image("resnet152", new ResNet(List.of(3, 8, 36, 3), ResNet.Block.BOTTLENECK)),
              image("shufflenet_v2_x1_0", new ShuffleNetV2()),
              image("squeezenet1_0", SqueezeNet.V1_0),
              image("squeezenet1_1", SqueezeNet.V1_1),
              image("vgg11", new Vgg(List.of(1, 1, 2, 2, 2))),
              image("vgg16", new Vgg(List.of(2, 2, 3, 3, 3))),
              image("vgg19", new Vgg(List.of(2, 2, 4, 4, 4))),
              Map.entry("bert_base", new Bert())));

  private ModelZoo() {}

  private static Map.Entry<String, Architecture> image(
      String name, Architecture.Classifier classifier) {
    return Map.entry(name, Architecture.ofImages(IMAGENET_SIDE, classifier));
  }

  /** The names of all architectures, sorted. */
  public static List<String> names() {
    return List.copyOf(ARCHITECTURES.keySet());
  }

  /**
   * Writes an architecture for the input that it was published with: 224×224 images, 299×299 for
   * Inception v3, 128 tokens for BERT.
   *
   * @throws InputException {@code unknown-zoo-model}
   */
  public static byte[] build(String name) {
    return build(name, architecture(name).defaultInput());
  }

  /**
   * Writes an architecture for a given input.
   *
   * @throws InputException {@code unknown-zoo-model}, or {@code unsupported-input-shape} where the
   *     network cannot take the input
   */
  public static byte[] build(String name, InputShape input) {
    GraphBuilder graph = new GraphBuilder();
    architecture(name).addTo(graph, input);
    return graph.toOnnx(name);
  }

  private static Architecture architecture(String name) {
    Architecture architecture = ARCHITECTURES.get(name);
    if (architecture == null) {
      throw InputException.invalidArgument(
          "unknown-zoo-model",
          "Unknown zoo model '" + name + "': use one of " + String.join(", ", names()) + ".");
    }
    return architecture;
  }
}
