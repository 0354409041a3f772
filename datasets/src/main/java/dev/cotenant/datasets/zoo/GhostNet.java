package dev.cotenant.datasets.zoo;

import java.util.List;

/**
 * GhostNet at width 1 [Han et al., CVPR 2020, Table 1]: half of a layer's channels come from a
 * convolution by channel of the other half.
 */
final class GhostNet implements Architecture.Classifier {
  private static final int STEM_CHANNELS = 16;
  private static final int SQUEEZE_RATIO = 4;
  private static final int LAST_CHANNELS = 960;
  private static final int HIDDEN = 1280;
  private static final int CLASSES = 1000;

  /** Whether squeeze-and-excitation follows the widening. */
  private enum Kind {
    PLAIN,
    EXCITED
  }

  private record Block(int expanded, int channels, Window window, Kind kind) {}

  private static final Window SMALL = Window.kernel(3).same();
  private static final Window LARGE = Window.kernel(5).same();

  private static final List<Block> BLOCKS =
      List.of(
          new Block(16, 16, SMALL, Kind.PLAIN),
          new Block(48, 24, SMALL.stride(2), Kind.PLAIN),
          new Block(72, 24, SMALL, Kind.PLAIN),
          new Block(72, 40, LARGE.stride(2), Kind.EXCITED),
          new Block(120, 40, LARGE, Kind.EXCITED),
          new Block(240, 80, SMALL.stride(2), Kind.PLAIN),
          new Block(200, 80, SMALL, Kind.PLAIN),
          new Block(184, 80, SMALL, Kind.PLAIN),
          new Block(184, 80, SMALL, Kind.PLAIN),
          new Block(480, 112, SMALL, Kind.EXCITED),
          new Block(672, 112, SMALL, Kind.EXCITED),
          new Block(672, 160, LARGE.stride(2), Kind.EXCITED),
          new Block(960, 160, LARGE, Kind.PLAIN),
          new Block(960, 160, LARGE, Kind.EXCITED),
          new Block(960, 160, LARGE, Kind.PLAIN),
          new Block(960, 160, LARGE, Kind.EXCITED));

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.convRelu(image, MobileNetV2.stem(STEM_CHANNELS));
    for (Block block : BLOCKS) {
      x = bottleneck(layers, x, block);
    }
    Window point = Window.kernel(1);
    x = layers.convRelu(x, Convolution.normalized(LAST_CHANNELS, point));
    x = layers.convRelu(layers.globalAveragePool(x), Convolution.biased(HIDDEN, point));
    return layers.linear(layers.flatten(x), CLASSES);
  }

  private static Tensor bottleneck(ImageLayers layers, Tensor x, Block block) {
    Tensor inner = ghost(layers, x, block.expanded(), Activation.RELU);
    if (block.window().stride() > 1) {
      inner = layers.conv(inner, Convolution.depthwise(block.expanded(), block.window()));
    }
    if (block.kind() == Kind.EXCITED) {
      int squeezed = InvertedResidual.divisible(block.expanded() / (double) SQUEEZE_RATIO, 4);
      inner =
          layers.excite(inner, new Excitation(squeezed, Activation.RELU, Activation.HARD_SIGMOID));
    }
    inner = ghost(layers, inner, block.channels(), Activation.NONE);
    return layers.add(inner, shortcut(layers, x, block));
  }

  /** The input, or a separable convolution of it where the shapes differ. */
  private static Tensor shortcut(ImageLayers layers, Tensor x, Block block) {
    if (InvertedResidual.isResidual(x, block.channels(), block.window().stride())) {
      return x;
    }
    Tensor inner = layers.conv(x, Convolution.depthwise(x.channels(), block.window()));
    return layers.conv(inner, Convolution.normalized(block.channels(), Window.kernel(1)));
  }

  private static Tensor ghost(ImageLayers layers, Tensor x, int channels, Activation activation) {
    int half = Math.ceilDiv(channels, 2);
    Tensor first = layers.conv(x, Convolution.normalized(half, Window.kernel(1)), activation);
    Tensor second = layers.conv(first, Convolution.depthwise(half, SMALL), activation);
    return layers.concat(List.of(first, second));
  }
}
