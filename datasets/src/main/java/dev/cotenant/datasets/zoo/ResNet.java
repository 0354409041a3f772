package dev.cotenant.datasets.zoo;

import java.util.List;

/**
 * Residual networks [He et al., CVPR 2016, Table 1] as torchvision builds them: in a bottleneck the
 * 3×3 convolution carries the stride (the variant known as v1.5).
 *
 * @param blocks residual blocks in each of the four stages
 * @param block what a block is made of
 */
record ResNet(List<Integer> blocks, Block block) implements Architecture.Classifier {
  private static final int STEM_CHANNELS = 64;
  private static final int CLASSES = 1000;

  ResNet {
    blocks = List.copyOf(blocks);
  }

  /** What a residual block is made of. */
  enum Block {
    /** Two 3×3 convolutions. */
    BASIC(1),
    /** A 1×1, a 3×3 and a 1×1 convolution that widens four times. */
    BOTTLENECK(4);

    private final int expansion;

    Block(int expansion) {
      this.expansion = expansion;
    }
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window stem = Window.kernel(7).stride(2).padding(3);
    Tensor x = layers.convRelu(image, Convolution.normalized(STEM_CHANNELS, stem));
    x = layers.maxPool(x, Window.kernel(3).stride(2).padding(1));
    for (int stage = 0; stage < blocks.size(); stage++) {
      for (int index = 0; index < blocks.get(stage); index++) {
        int stride = stage > 0 && index == 0 ? 2 : 1;
        x = residual(layers, x, STEM_CHANNELS << stage, stride);
      }
    }
    return layers.linear(layers.flatten(layers.globalAveragePool(x)), CLASSES);
  }

  private Tensor residual(ImageLayers layers, Tensor x, int channels, int stride) {
    Tensor branch =
        switch (block) {
          case BASIC -> basic(layers, x, channels, stride);
          case BOTTLENECK -> bottleneck(layers, x, channels, stride);
        };
    Tensor shortcut =
        branch.dims().equals(x.dims())
            ? x
            : layers.conv(
                x, Convolution.normalized(branch.channels(), Window.kernel(1).stride(stride)));
    return layers.relu(layers.add(branch, shortcut));
  }

  private static Tensor basic(ImageLayers layers, Tensor x, int channels, int stride) {
    Window window = Window.kernel(3).same();
    Tensor inner = layers.convRelu(x, Convolution.normalized(channels, window.stride(stride)));
    return layers.conv(inner, Convolution.normalized(channels, window));
  }

  private Tensor bottleneck(ImageLayers layers, Tensor x, int channels, int stride) {
    Window window = Window.kernel(3).same().stride(stride);
    Tensor inner = layers.convRelu(x, Convolution.normalized(channels, Window.kernel(1)));
    inner = layers.convRelu(inner, Convolution.normalized(channels, window));
    int widened = channels * block.expansion;
    return layers.conv(inner, Convolution.normalized(widened, Window.kernel(1)));
  }
}
