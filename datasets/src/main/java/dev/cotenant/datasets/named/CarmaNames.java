package dev.cotenant.datasets.named;

import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;

/**
 * What CARMA's names stand for, by the scripts that ran (itu-rad/CARMA, {@code workloads/}).
 *
 * <p>Runs for CIFAR-100 use timm's networks unchanged on 32×32 images; their heads have 100 outputs
 * where the zoo's have 1,000. {@code resnet50_cifar100.py} builds an EfficientNet-B0 in spite of
 * its name, and measures like one; {@code mobilenet_cifar100.py} a small MobileNetV3, the others
 * what they are called. Where a command names no batch, it is the script's.
 *
 * <p>Attention of BERT and GPT-2 is fused: the scripts set {@code eval_strategy} and ran in
 * September 2025, so Transformers is 4.41 or later, which takes {@code
 * scaled_dot_product_attention} for both by default and has none for XLNet. Scores of BERT-base at
 * 512 tokens and batch 32 would take 12 layers · 12 heads · 512² · 32 · 4 bytes = 4.5 GiB a copy,
 * kept twice beside 16 GiB of others; the run took 19.4.
 */
final class CarmaNames {
  private static final InputShape FULL = new InputShape.Tokens(512);

  private static final NamedModel EFFICIENT =
      NamedModel.trained("efficientnet_b0", "efficientnet", NamedModel.CIFAR);

  private static final Map<String, Job> NAMES =
      Map.ofEntries(
          Map.entry(
              "BERT_base_on_wiki",
              new Job(NamedModel.trained("bert_base_pretraining", "bert", FULL), 32)),
          Map.entry(
              "BERT_large_on_wiki",
              new Job(NamedModel.trained("bert_large_pretraining", "bert", FULL), 8)),
          Map.entry(
              "gpt2_large_on_wiki", new Job(NamedModel.trained("gpt2_large", "gpt2", FULL), 8)),
          Map.entry(
              "xlnet_base_cased", new Job(NamedModel.trained("xlnet_base", "xlnet", FULL), 8)),
          Map.entry(
              "xlnet_large_cased", new Job(NamedModel.trained("xlnet_large", "xlnet", FULL), 4)),
          Map.entry(
              "UNet",
              new Job(
                  NamedModel.trained("unet_resnet34", "unet", InputShape.Image.square(512)), 8)),
          Map.entry("efficientNet", image("efficientnet_b0", "efficientnet")),
          Map.entry("mobilenet", image("mobilenet_v2", "mobilenet")),
          Map.entry("resnet50", image("resnet50", "resnet")),
          Map.entry("vgg", image("vgg16", "vgg")),
          Map.entry("Xception", image("xception", "xception")),
          Map.entry(
              "Inception",
              new Job(
                  NamedModel.trained("inception_v3", "inception", InputShape.Image.square(299)),
                  32)),
          Map.entry("efficientNet_cifar100", new Job(EFFICIENT, 64)),
          Map.entry("resnet50_cifar100", new Job(EFFICIENT, 64)),
          Map.entry("mobilenet_cifar100", small("mobilenet_v3_small", "mobilenet")),
          Map.entry("resnet18_cifar100", small("resnet18", "resnet")),
          Map.entry("resnet34_cifar100", small("resnet34", "resnet")));

  private CarmaNames() {}

  /**
   * A job.
   *
   * @param model what it trains
   * @param batch the script's own
   */
  record Job(NamedModel model, int batch) {}

  private static Job image(String zooName, String family) {
    return new Job(NamedModel.trained(zooName, family, NamedModel.IMAGENET), 32);
  }

  private static Job small(String zooName, String family) {
    return new Job(NamedModel.trained(zooName, family, NamedModel.CIFAR), 64);
  }

  static Job of(String model) {
    if (model.contains("dlrm")) {
      return new Job(
          new NamedModel.Unclear("the sizes of its embedding tables are not published"), 1);
    }
    return NAMES.getOrDefault(model, new Job(NamedModel.unknown(model), 1));
  }
}
