package dev.cotenant.zoo.small;

import dev.cotenant.zoo.image.ResNet;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * Dual path networks [Chen et al., NeurIPS 2017] for 32×32 images as in kuangliu/pytorch-cifar: of
 * a block's output, some channels are added to the input's as in a residual network, the others are
 * appended as in a dense one.
 *
 * @param blocks in each of the four stages; 92 layers have 3, 4, 20 and 3
 */
public record DualPathNetwork(List<Integer> blocks) implements Architecture.Classifier {
  private static final List<Stage> STAGES =
      List.of(
          new Stage(96, 256, 16),
          new Stage(192, 512, 32),
          new Stage(384, 1024, 24),
          new Stage(768, 2048, 128));
  private static final int GROUPS = 32;
  private static final int STEM_CHANNELS = 64;
  private static final int CLASSES = 10;

  public DualPathNetwork {
    blocks = List.copyOf(blocks);
  }

  /** Channels inside, added and appended by each block. */
  private record Stage(int inner, int residual, int dense) {
    int channels() {
      return residual + dense;
    }
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window stem = Window.kernel(3).same();
    Tensor x = layers.convRelu(image, Convolution.normalized(STEM_CHANNELS, stem));
    for (int stage = 0; stage < STAGES.size(); stage++) {
      x = entry(layers, x, STAGES.get(stage), stage == 0 ? 1 : 2);
      for (int index = 1; index < blocks.get(stage); index++) {
        x = join(layers, STAGES.get(stage), x, branch(layers, x, STAGES.get(stage), 1));
      }
    }
    return layers.classify(x, CLASSES);
  }

  /** The first block of a stage, whose input passes through a 1×1 convolution. */
  private static Tensor entry(ImageLayers layers, Tensor x, Stage stage, int stride) {
    Tensor branch = branch(layers, x, stage, stride);
    Window point = Window.kernel(1).stride(stride);
    Tensor shortcut = layers.conv(x, Convolution.normalized(stage.channels(), point));
    return join(layers, stage, shortcut, branch);
  }

  private static Tensor branch(ImageLayers layers, Tensor x, Stage stage, int stride) {
    Window window = Window.kernel(3).same().stride(stride);
    Convolution middle = new Convolution(stage.inner(), window, GROUPS, Convolution.Bias.FOLDED);
    return ResNet.bottleneck(layers, x, middle, stage.channels());
  }

  private static Tensor join(ImageLayers layers, Stage stage, Tensor x, Tensor branch) {
    int kept = x.channels() - stage.residual();
    List<Tensor> input = layers.split(x, stage.residual(), kept);
    List<Tensor> output = layers.split(branch, stage.residual(), stage.dense());
    Tensor added = layers.add(input.getFirst(), output.getFirst());
    return layers.relu(layers.concat(List.of(added, input.getLast(), output.getLast())));
  }
}
