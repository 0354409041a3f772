package dev.cotenant.zoo;

import dev.cotenant.domain.InputException;
import dev.cotenant.zoo.image.ImageNetworks;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.InputShape;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.sequence.OtherNetworks;
import dev.cotenant.zoo.small.SmallNetworks;
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
  private static final Map<String, Architecture> ARCHITECTURES = architectures();

  private ModelZoo() {}

  private static Map<String, Architecture> architectures() {
    Map<String, Architecture> all = new TreeMap<>();
    all.putAll(ImageNetworks.all());
    all.putAll(SmallNetworks.all());
    all.putAll(OtherNetworks.all());
    return all;
  }

  /** The names of all architectures, sorted. */
  public static List<String> names() {
    return List.copyOf(ARCHITECTURES.keySet());
  }

  /**
   * Writes an architecture for the input that it was published with: mostly 224×224 images, 299×299
   * for Inception v3, 32×32 where the name ends in {@code _cifar}, 128 tokens for BERT.
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
      throw InputException.unknown("zoo model", name, names());
    }
    return architecture;
  }
}
