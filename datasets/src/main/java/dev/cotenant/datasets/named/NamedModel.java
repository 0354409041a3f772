package dev.cotenant.datasets.named;

import dev.cotenant.datasets.zoo.InputShape;
import java.util.Map;

/**
 * What a model's name in the set stands for.
 *
 * <p>SPREAD publishes no input size. Its ResNet-18 takes 223 ms for a training step at batch 128 on
 * an RTX 2080 Ti; at 224×224, where one forward pass takes 1.814 GMAC and a step three times that,
 * this is 3 · 2 · 1.814e9 · 128 / 0.223 s = 6.2 TFLOP/s, a plausible 46 % of the card's 13.4
 * TFLOP/s, and at 32×32 it would be 50 times less. Inception v3 takes 411 ms at batch 64: 5.3
 * TFLOP/s at 299×299.
 */
sealed interface NamedModel {
  /**
   * A network that the zoo can build.
   *
   * @param zooName its name there
   * @param family the architecture family
   * @param input the input that was measured
   */
  record Known(String zooName, String family, InputShape input) implements NamedModel {}

  /**
   * A name that leaves open what was measured.
   *
   * @param reason what is not known
   */
  record Unclear(String reason) implements NamedModel {}

  /**
   * A name as the set has it.
   *
   * @param source who measured
   * @param model the name there
   * @param dataset the training data, which may change the network; empty where not published
   */
  record Label(String source, String model, String dataset) {}

  /** Which network a name stands for. */
  static NamedModel of(Label label) {
    NamedModel none = new Unclear("the zoo has no graph for '" + label.model() + "'");
    return Table.MEANINGS.getOrDefault(label, none);
  }

  /** The names whose meaning somebody has looked into. */
  final class Table {
    private static final InputShape IMAGENET = InputShape.Image.square(224);
    private static final InputShape INCEPTION = InputShape.Image.square(299);
    private static final NamedModel VARIANT =
        new Unclear("which variant of the network was measured is not published");
    private static final NamedModel ADAPTATION =
        new Unclear("how the network was adapted to CIFAR-10 is not published");
    private static final NamedModel SEQUENCE = new Unclear("the sequence length is not published");

    private static final Map<Label, NamedModel> MEANINGS =
        Map.ofEntries(
            Map.entry(spread("ResNet18"), new Known("resnet18", "resnet", IMAGENET)),
            Map.entry(spread("InceptionV3"), new Known("inception_v3", "inception", INCEPTION)),
            Map.entry(spread("BertBase"), SEQUENCE),
            Map.entry(spread("EfficientNet"), VARIANT),
            Map.entry(spread("ShuffleNet"), VARIANT),
            Map.entry(spread("MobileNet"), VARIANT),
            Map.entry(lucid("ResNet50", "ImageNet"), new Known("resnet50", "resnet", IMAGENET)),
            Map.entry(lucid("MobileNetV3", "ImageNet"), VARIANT),
            Map.entry(lucid("EfficientNet", "CIFAR-10"), VARIANT),
            Map.entry(lucid("ResNet18", "CIFAR-10"), ADAPTATION),
            Map.entry(lucid("MobileNetV2", "CIFAR-10"), ADAPTATION),
            Map.entry(lucid("VGG", "CIFAR-10"), ADAPTATION),
            Map.entry(lucid("BERT", "SQuAD"), SEQUENCE));

    private Table() {}

    private static Label spread(String model) {
      return new Label("SPREAD", model, "");
    }

    private static Label lucid(String model, String dataset) {
      return new Label("Lucid", model, dataset);
    }
  }
}
