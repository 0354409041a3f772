package dev.cotenant.datasets.named;

import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;

/**
 * What SPREAD's names stand for. The set publishes neither inputs nor code; what follows is from
 * its memory and step times, against the same networks measured elsewhere.
 *
 * <ul>
 *   <li>ResNet-18 takes 223 ms at batch 128 on an RTX 2080 Ti: at 224×224, 3 · 2 · 1.814e9 · 128 /
 *       0.223 s = 6.2 TFLOP/s, 46 % of the card's 13.4; at 32×32 it would be 50 times less.
 *       Inception v3 likewise has 299×299: 5.3 TFLOP/s at batch 64.
 *   <li>EfficientNet grows by 90.6 MiB a sample, MobileNet and MobileNetV2 by 84.4; CARMA measured
 *       91.9 and 83.8 of EfficientNet-B0 and MobileNetV2 at 224×224. MEALV2 grows by 18.2, as
 *       Lucid's small MobileNetV3 does, which is one of the networks that project distils.
 *   <li>ConvNeXtS and ConvNeXtT both grow by 105 to 111 MiB. A block of c channels and p pixels
 *       keeps 12 · c · p · 4 bytes for its gradient, which makes 98 MiB for ConvNeXt-T and 160 for
 *       -S: both are -T.
 *   <li>ShuffleNet grows by 24.4 MiB: 1.8 times the outputs of ShuffleNet V2 at width 1, as others
 *       here; 3.3 times those at width 0.5.
 *   <li>BERT-base grows by 45.7 MiB: a layer keeps 66 · n · 768 + 9 · 12 · n² bytes for n tokens,
 *       which makes 42 MiB for twelve layers and 64 tokens, 19 for 32 and 52 for 80; 64 tokens are
 *       8.3 TFLOP/s.
 *   <li>The LSTM grows by 18.5 MiB: scores of 33,278 words for 35 tokens take 4.4 MiB and are kept
 *       four times, as in PyTorch's example; its default of 200 features fits the 1.1 GiB that are
 *       left.
 * </ul>
 *
 * <p>Variant or input of all but ResNet-18 and Inception v3 follow from memory: these rows are
 * marked, and their memory judges no prediction.
 *
 * <p>GhostNet, SqueezeNet and HarDNet measure alike to the percent, so at most one is what it is
 * called, and their steps wait for the host from batch 32 on. YOLOv5s fits 256×256 and 320×320
 * alike.
 */
final class SpreadNames {
  private static final NamedModel TRIPLET =
      new NamedModel.Unclear(
          "GhostNet, SqueezeNet and HarDNet measure alike, so which network it was is open");

  private static final Map<String, NamedModel> NAMES =
      Map.ofEntries(
          Map.entry(
              "BertBase",
              NamedModel.trained("bert_base", "bert", new InputShape.Tokens(64)).fromMemory()),
          Map.entry("ConvNeXtS", image("convnext_tiny", "convnext").fromMemory()),
          Map.entry("ConvNeXtT", image("convnext_tiny", "convnext").fromMemory()),
          Map.entry("EfficientNet", image("efficientnet_b0", "efficientnet").fromMemory()),
          Map.entry("GhostNet", TRIPLET),
          Map.entry("HarDNet", TRIPLET),
          Map.entry(
              "InceptionV3",
              NamedModel.trained("inception_v3", "inception", InputShape.Image.square(299))),
          Map.entry(
              "LSTM",
              NamedModel.trained("lstm_wikitext2", "lstm", new InputShape.Tokens(35)).fromMemory()),
          Map.entry("MEALV2", image("mobilenet_v3_small", "mobilenet").fromMemory()),
          Map.entry("MobileNet", image("mobilenet_v2", "mobilenet").fromMemory()),
          Map.entry("MobileNetV2", image("mobilenet_v2", "mobilenet").fromMemory()),
          Map.entry("ResNet18", image("resnet18", "resnet")),
          Map.entry("ShuffleNet", image("shufflenet_v2_x1_0", "shufflenet").fromMemory()),
          Map.entry("SqueezeNet", TRIPLET),
          Map.entry(
              "YoloV5S",
              new NamedModel.Unclear("its input size is not published: 256x256 and 320x320 fit")));

  private SpreadNames() {}

  private static NamedModel.Known image(String zooName, String family) {
    return NamedModel.trained(zooName, family, NamedModel.IMAGENET);
  }

  static NamedModel of(String model) {
    return NAMES.getOrDefault(model, NamedModel.unknown(model));
  }
}
