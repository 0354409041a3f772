package dev.cotenant.datasets.named;

import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;

/**
 * What alnair's names stand for, by the scripts beside the table (CentaurusInfra/alnair, {@code
 * open-data/gpu-sharing/}).
 *
 * <p>{@code Image_Classification.py} trains one linear layer on what a frozen network from
 * TensorFlow Hub gives for 224×224 images: the network only computes forward, so these are rows of
 * inference. {@code NLP_BERT.py} trains small BERTs on 128 tokens, the length of the preprocessing
 * model that it loads. {@code DCGAN_MNIST.py} is TensorFlow's tutorial.
 */
final class AlnairNames {
  private static final NamedModel HALF_FROZEN =
      new NamedModel.Unclear("half of the network is frozen: neither training nor inference");

  private static final Map<String, NamedModel> NAMES =
      Map.ofEntries(
          Map.entry(
              "MobileNet", NamedModel.served("mobilenet_v1", "mobilenet", NamedModel.IMAGENET)),
          Map.entry(
              "EfficientNet_v2",
              NamedModel.served("efficientnet_v2_s", "efficientnet", NamedModel.IMAGENET)),
          Map.entry("ResNet50", NamedModel.served("resnet50", "resnet", NamedModel.IMAGENET)),
          Map.entry(
              "Inception_v3", NamedModel.served("inception_v3", "inception", NamedModel.IMAGENET)),
          Map.entry("DCGAN", NamedModel.trained("dcgan_mnist", "dcgan", new InputShape.Own())),
          Map.entry("Image Segmentation", HALF_FROZEN),
          Map.entry("Reinforcement Learning", NamedModel.HOST_BOUND),
          Map.entry("small_bert/bert_en_uncased_L-2_H-128_A-2", bert("bert_tiny")),
          Map.entry("small_bert/bert_en_uncased_L-2_H-256_A-4", bert("bert_l2_h256")),
          Map.entry("small_bert/bert_en_uncased_L-2_H-512_A-8", bert("bert_l2_h512")),
          Map.entry("small_bert/bert_en_uncased_L-2_H-768_A-12", bert("bert_l2_h768")),
          Map.entry("small_bert/bert_en_uncased_L-4_H-128_A-2", bert("bert_l4_h128")),
          Map.entry("small_bert/bert_en_uncased_L-4_H-256_A-4", bert("bert_mini")),
          Map.entry("small_bert/bert_en_uncased_L-4_H-512_A-8", bert("bert_small")));

  private AlnairNames() {}

  private static NamedModel bert(String zooName) {
    return NamedModel.trained(zooName, "bert", new InputShape.Tokens(128));
  }

  static NamedModel of(String model) {
    return NAMES.getOrDefault(model.replace("/ ", "/"), NamedModel.unknown(model));
  }
}
