package dev.cotenant.datasets.named;

import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;

/**
 * What Lucid's names stand for, by the scripts that measured them (S-Lab-System-Group/Lucid, {@code
 * workloads/} and {@code profile/main_single.py}).
 *
 * <p>Networks for CIFAR-10 are those of kuangliu/pytorch-cifar, VGG the one with eleven layers;
 * MobileNetV3 is the small one; BERT has 384 tokens, the language model 35 words, two layers and
 * 200 features. Sentences of Multi30k have 12 words on average and 40 at most; a batch is as long
 * as its longest, for which 32 is taken here.
 */
final class LucidNames {
  private static final Map<String, NamedModel> NAMES =
      Map.ofEntries(
          Map.entry(
              "BERT/SQuAD", NamedModel.trained("bert_base", "bert", new InputShape.Tokens(384))),
          Map.entry(
              "EfficientNet/CIFAR-10",
              NamedModel.trained("efficientnet_b0_cifar", "efficientnet", NamedModel.CIFAR)),
          Map.entry(
              "LSTM/Wikitext2",
              NamedModel.trained("lstm_wikitext2", "lstm", new InputShape.Tokens(35))),
          Map.entry(
              "MobileNetV2/CIFAR-10",
              NamedModel.trained("mobilenet_v2_cifar", "mobilenet", NamedModel.CIFAR)),
          Map.entry(
              "MobileNetV3/ImageNet",
              NamedModel.trained("mobilenet_v3_small", "mobilenet", NamedModel.IMAGENET)),
          Map.entry("NeuMF/MovieLens", NamedModel.trained("neumf", "neumf", new InputShape.Own())),
          Map.entry("DCGAN/LSUN", NamedModel.trained("dcgan", "dcgan", new InputShape.Own())),
          Map.entry(
              "PointNet/ShapeNet",
              NamedModel.trained("pointnet", "pointnet", new InputShape.Points(2500))),
          Map.entry("PPO/LunarLander", NamedModel.HOST_BOUND),
          Map.entry(
              "ResNet18/CIFAR-10",
              NamedModel.trained("resnet18_cifar", "resnet", NamedModel.CIFAR)),
          Map.entry(
              "ResNet50/ImageNet", NamedModel.trained("resnet50", "resnet", NamedModel.IMAGENET)),
          Map.entry("TD3/BipedalWalker", NamedModel.HOST_BOUND),
          Map.entry(
              "Transformer/Multi30k",
              NamedModel.trained("transformer_multi30k", "transformer", new InputShape.Tokens(32))),
          Map.entry("VGG/CIFAR-10", NamedModel.trained("vgg11_cifar", "vgg", NamedModel.CIFAR)));

  private LucidNames() {}

  static NamedModel of(String model, String dataset) {
    return NAMES.getOrDefault(model + "/" + dataset, NamedModel.unknown(model));
  }
}
