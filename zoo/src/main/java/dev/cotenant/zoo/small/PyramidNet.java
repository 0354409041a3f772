package dev.cotenant.zoo.small;

import dev.cotenant.zoo.image.ResNet;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;

/**
 * PyramidNet for 32×32 images [Han et al., CVPR 2017, Table 1], as its authors build it for
 * PyTorch: channels grow a little with every block, shortcuts carry no weights and are padded with
 * zeros.
 *
 * @param depth layers; a stage has (depth − 2) / 6 basic blocks or (depth − 2) / 9 bottlenecks
 * @param widening channels that all blocks together add
 * @param block what a block is made of
 */
public record PyramidNet(int depth, int widening, ResNet.Block block)
    implements Architecture.Classifier {
  private static final int STAGES = 3;
  private static final int STEM_CHANNELS = 16;
  private static final int EXPANSION = 4;
  private static final int CLASSES = 10;

  private int blocksInStage() {
    return switch (block) {
      case BASIC -> (depth - 2) / 6;
      case BOTTLENECK -> (depth - 2) / 9;
    };
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window stem = Window.kernel(3).same();
    Tensor x = layers.conv(image, Convolution.normalized(STEM_CHANNELS, stem));
    double step = widening / (double) (STAGES * blocksInStage());
    double channels = STEM_CHANNELS;
    for (int stage = 0; stage < STAGES; stage++) {
      for (int index = 0; index < blocksInStage(); index++) {
        channels += step;
        int stride = stage > 0 && index == 0 ? 2 : 1;
        x = residual(layers, x, (int) Math.rint(channels), stride);
      }
    }
    return layers.classify(layers.relu(layers.batchNorm(x)), CLASSES);
  }

  private Tensor residual(ImageLayers layers, Tensor x, int channels, int stride) {
    Tensor branch =
        switch (block) {
          case BASIC -> basic(layers, layers.batchNorm(x), channels, stride);
          case BOTTLENECK -> bottleneck(layers, layers.batchNorm(x), channels, stride);
        };
    Tensor shortcut = stride == 1 ? x : layers.averagePool(x, Window.kernel(2).stride(2));
    return layers.add(branch, layers.padChannels(shortcut, branch.channels()));
  }

  private static Tensor basic(ImageLayers layers, Tensor x, int channels, int stride) {
    Window window = Window.kernel(3).same();
    Tensor inner = layers.convRelu(x, Convolution.normalized(channels, window.stride(stride)));
    return layers.conv(inner, Convolution.normalized(channels, window));
  }

  private static Tensor bottleneck(ImageLayers layers, Tensor x, int channels, int stride) {
    Window window = Window.kernel(3).same().stride(stride);
    return ResNet.bottleneck(
        layers, x, Convolution.normalized(channels, window), channels * EXPANSION);
  }
}
