package dev.cotenant.datasets.named;

import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;

/**
 * What gpu-lets' names stand for, by its configuration (casys-kaist/glet, {@code
 * resource/input_config.json}): torchvision's networks on 224×224 images, BERT-base on 14 tokens,
 * SSD on 300×300, LeNet on 28×28 grey images.
 */
final class GletNames {
  private static final Map<String, NamedModel> NAMES =
      Map.ofEntries(
          Map.entry("bert", NamedModel.served("bert_base", "bert", new InputShape.Tokens(14))),
          Map.entry("densenet161", image("densenet161", "densenet")),
          Map.entry("googlenet", image("googlenet", "googlenet")),
          Map.entry("lenet", NamedModel.served("lenet", "lenet", InputShape.Image.square(28))),
          Map.entry("mnasnet1_0", image("mnasnet1_0", "mnasnet")),
          Map.entry("mobilenet_v2", image("mobilenet_v2", "mobilenet")),
          Map.entry("resnet50", image("resnet50", "resnet")),
          Map.entry("ssd", detector()),
          Map.entry("ssd-mobilenetv1", detector()),
          Map.entry("vgg16", image("vgg16", "vgg")));

  private GletNames() {}

  private static NamedModel image(String zooName, String family) {
    return NamedModel.served(zooName, family, NamedModel.IMAGENET);
  }

  private static NamedModel detector() {
    return NamedModel.served("ssd_mobilenet_v1", "ssd", InputShape.Image.square(300));
  }

  static NamedModel of(String model) {
    return NAMES.getOrDefault(model, NamedModel.unknown(model));
  }
}
