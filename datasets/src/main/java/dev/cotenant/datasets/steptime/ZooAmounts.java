package dev.cotenant.datasets.steptime;

import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.zoo.ModelZoo;
import dev.cotenant.zoo.layers.InputShape;
import java.util.HashMap;
import java.util.Map;

/**
 * Amounts of networks that a set names and the zoo has, on images of 224×224 or sequences of 128
 * tokens. Not thread safe.
 */
final class ZooAmounts {
  /** Side of an image in pixels. */
  static final int SIDE = 224;

  private static final int TOKENS = 128;

  /** Other spellings of the zoo's names. */
  private static final Map<String, String> SPELLINGS =
      Map.of(
          "bert", "bert_large",
          "inceptionv3", "inception_v3",
          "mobilenetv1", "mobilenet_v1",
          "mobilenetv2", "mobilenet_v2",
          "mobilenetv3", "mobilenet_v3_small");

  private final OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private final FeatureExtractor extractor = new FeatureExtractor();
  private final Map<String, StepWork> known = new HashMap<>();

  /**
   * Amounts of a network at a batch.
   *
   * @throws UnusableRowException when the zoo has no such network
   */
  StepWork require(String column, String name, int batch) {
    String zooName = SPELLINGS.getOrDefault(name, name);
    if (!ModelZoo.names().contains(zooName)) {
      throw new UnusableRowException(column + " '" + name + "' has no graph in the zoo");
    }
    return known.computeIfAbsent(zooName, this::extracted).atBatch(batch);
  }

  private StepWork extracted(String zooName) {
    InputShape input =
        zooName.startsWith("bert") ? new InputShape.Tokens(TOKENS) : InputShape.Image.square(SIDE);
    byte[] graph = ModelZoo.build(zooName, input);
    return StepWork.of(
        extractor.extract(reader.read(graph, zooName), new GraphBinding(1, Map.of())).model());
  }
}
