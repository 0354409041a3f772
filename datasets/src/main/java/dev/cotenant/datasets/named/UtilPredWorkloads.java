package dev.cotenant.datasets.named;

import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.zoo.ModelZoo;
import dev.cotenant.zoo.layers.InputShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The 81 training workloads of [UtilPred, Table 1], as this project reads them.
 *
 * <p>The table names 13 architectures with variants, batches of 64, 128, 256 and 512 for images of
 * CIFAR-10, and of 16, 32 and 64 for 200 tokens of 10,000 words; the text adds that as many were
 * run as the memory of a GTX 1080, 8 GB, allowed. What the table leaves open is read like this:
 *
 * <ul>
 *   <li>Networks are those of the collections that the paper names for images of 32×32;
 *       torchvision's where kuangliu/pytorch-cifar has none (SqueezeNet, MNASNet).
 *   <li>"channel: 2^i" is MobileNetV2 with channels that double from stage to stage; "18 -
 *       bottleneck" is 2, 2, 2, 2 bottlenecks; ResNeXt with eleven layers has one block a stage.
 *   <li>PyramidNet's "depth: [48, 84], alpha: [66, 110]" has its words exchanged: 66 layers that
 *       widen by 48, and 110 by 84.
 *   <li>DualPathNetwork is run with 92 layers and with 2, 2, 2, 2 blocks, 26 layers.
 *   <li>The Transformer has two layers in encoder and decoder: six, as in the paper that is cited,
 *       would not fit with 64 sentences. The LSTM reads both ways in all four cases.
 *   <li>A workload ran if 0.6 GiB of context, four times the weights (weights, gradients, momentum
 *       and one more) and twice the activations fit 8 GiB. That leaves 63 workloads on images; with
 *       18 on text they are 81.
 * </ul>
 */
public final class UtilPredWorkloads {
  private static final List<Integer> IMAGE_BATCHES = List.of(64, 128, 256, 512);
  private static final List<Integer> TEXT_BATCHES = List.of(16, 32, 64);
  private static final InputShape TEXT = new InputShape.Tokens(200);

  private UtilPredWorkloads() {}

  /**
   * A workload.
   *
   * @param zooName its network in the zoo
   * @param family one of the table's 13 architectures
   * @param input one sample
   * @param batch samples in a batch
   */
  public record Workload(String zooName, String family, InputShape input, int batch) {
    /** The features of its graph at its batch. */
    public GraphFeatures features() {
      ModelGraph graph =
          new OnnxGraphReader(ReaderLimits.DEFAULT).read(ModelZoo.build(zooName, input), zooName);
      return new FeatureExtractor().extract(graph, new GraphBinding(batch, Map.of()));
    }
  }

  /** A network with the largest batch that fits. */
  private record Variant(String zooName, String family, int largestBatch) {}

  private static final List<Variant> ON_IMAGES =
      List.of(
          new Variant("mobilenet_v2_cifar", "mobilenet_v2", 256),
          new Variant("mobilenet_v2_doubling_cifar", "mobilenet_v2", 128),
          new Variant("resnet18_cifar", "resnet", 512),
          new Variant("resnet34_cifar", "resnet", 256),
          new Variant("resnet50_cifar", "resnet", 64),
          new Variant("resnet18_bottleneck_cifar", "resnet", 128),
          new Variant("googlenet_cifar", "googlenet", 128),
          new Variant("vgg19_cifar", "vgg", 512),
          new Variant("resnext11_2x16d_cifar", "resnext", 512),
          new Variant("squeezenet1_0", "squeezenet", 512),
          new Variant("densenet121_cifar", "densenet", 64),
          new Variant("densenet161_cifar", "densenet", 0),
          new Variant("densenet169_cifar", "densenet", 64),
          new Variant("shufflenet_v2_x0_5_cifar", "shufflenet_v2", 512),
          new Variant("shufflenet_v2_x1_0_cifar", "shufflenet_v2", 512),
          new Variant("shufflenet_v2_x2_0_cifar", "shufflenet_v2", 512),
          new Variant("mnasnet0_5", "mnasnet", 512),
          new Variant("mnasnet1_0", "mnasnet", 512),
          new Variant("mnasnet1_3", "mnasnet", 512),
          new Variant("pyramidnet66_a48_cifar", "pyramidnet", 256),
          new Variant("pyramidnet110_a84_cifar", "pyramidnet", 128),
          new Variant("dpn26_cifar", "dpn", 128),
          new Variant("dpn92_cifar", "dpn", 64));

  private static final List<Variant> ON_TEXT =
      List.of(
          new Variant("transformer_h64", "transformer", 64),
          new Variant("transformer_h128", "transformer", 64),
          new Variant("lstm_h64_l1_bidirectional", "lstm", 64),
          new Variant("lstm_h64_l2_bidirectional", "lstm", 64),
          new Variant("lstm_h128_l1_bidirectional", "lstm", 64),
          new Variant("lstm_h128_l2_bidirectional", "lstm", 64));

  /** All workloads, in the order of the table. */
  public static List<Workload> all() {
    List<Workload> workloads = new ArrayList<>();
    for (Variant variant : ON_IMAGES) {
      add(workloads, variant, NamedModel.CIFAR, IMAGE_BATCHES);
    }
    for (Variant variant : ON_TEXT) {
      add(workloads, variant, TEXT, TEXT_BATCHES);
    }
    return List.copyOf(workloads);
  }

  private static void add(
      List<Workload> workloads, Variant variant, InputShape input, List<Integer> batches) {
    for (int batch : batches) {
      if (batch <= variant.largestBatch()) {
        workloads.add(new Workload(variant.zooName(), variant.family(), input, batch));
      }
    }
  }
}
