package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Residual networks [He et al., CVPR 2016, Table 1] and their kin with wide or grouped convolutions
 * [Xie et al., CVPR 2017; Zagoruyko and Komodakis, BMVC 2016] as torchvision builds them: in a
 * bottleneck the 3×3 convolution carries the stride (the variant known as v1.5).
 *
 * @param blocks residual blocks in each of the four stages
 * @param block kind of block
 * @param stem how the image enters
 */
public record ResNet(List<Integer> blocks, Block block, Stem stem)
    implements Architecture.Classifier {
  private static final int STEM_CHANNELS = 64;

  public ResNet {
    blocks = List.copyOf(blocks);
  }

  /** What a residual block is made of. */
  public enum Block {
    /** Two 3×3 convolutions. */
    BASIC(1),
    /** A 1×1, a 3×3 and a 1×1 convolution that widens four times. */
    BOTTLENECK(4);

    private final int expansion;

    Block(int expansion) {
      this.expansion = expansion;
    }
  }

  /** How the image enters. */
  public enum Stem {
    /** 7×7 with stride 2 and a pooling; 1,000 classes. */
    IMAGENET(1000) {
      @Override
      Window window() {
        return Window.kernel(7).stride(2).padding(3);
      }

      @Override
      Tensor pooled(ImageLayers layers, Tensor x) {
        return layers.maxPool(x, Window.kernel(3).stride(2).padding(1));
      }
    },
    /** 3×3 that keeps the 32×32 pixels; 10 classes, as in kuangliu/pytorch-cifar. */
    CIFAR(10) {
      @Override
      Window window() {
        return Window.kernel(3).same();
      }

      @Override
      Tensor pooled(ImageLayers layers, Tensor x) {
        return x;
      }
    };

    private final int classes;

    Stem(int classes) {
      this.classes = classes;
    }

    abstract Window window();

    Tensor convolved(ImageLayers layers, Tensor image) {
      return layers.convRelu(image, Convolution.normalized(STEM_CHANNELS, window()));
    }

    abstract Tensor pooled(ImageLayers layers, Tensor x);
  }

  public static ResNet of(Block block, Integer... blocks) {
    return new ResNet(List.of(blocks), block, Stem.IMAGENET);
  }

  public static ResNet cifar(Block block, Integer... blocks) {
    return new ResNet(List.of(blocks), block, Stem.CIFAR);
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    return layers.classify(maps(layers, image).getLast(), stem.classes);
  }

  /** What the first convolution gives and what each stage gives. */
  public List<Tensor> maps(ImageLayers layers, Tensor image) {
    Tensor first = stem.convolved(layers, image);
    List<Tensor> maps = new ArrayList<>(List.of(first));
    Tensor x = stem.pooled(layers, first);
    for (int stage = 0; stage < blocks.size(); stage++) {
      for (int index = 0; index < blocks.get(stage); index++) {
        int stride = stage > 0 && index == 0 ? 2 : 1;
        x = residual(layers, x, STEM_CHANNELS << stage, stride);
      }
      maps.add(x);
    }
    return maps;
  }

  private Tensor residual(ImageLayers layers, Tensor x, int channels, int stride) {
    Tensor branch =
        switch (block) {
          case BASIC -> basic(layers, x, channels, stride);
          case BOTTLENECK -> bottleneck(layers, x, channels, stride);
        };
    return join(layers, x, branch, stride);
  }

  private static Tensor basic(ImageLayers layers, Tensor x, int channels, int stride) {
    Window window = Window.kernel(3).same();
    Tensor inner = layers.convRelu(x, Convolution.normalized(channels, window.stride(stride)));
    return layers.conv(inner, Convolution.normalized(channels, window));
  }

  private static Tensor bottleneck(ImageLayers layers, Tensor x, int channels, int stride) {
    Window point = Window.kernel(1);
    Window window = Window.kernel(3).same().stride(stride);
    Tensor inner = layers.convRelu(x, Convolution.normalized(channels, point));
    inner = layers.convRelu(inner, Convolution.normalized(channels, window));
    return layers.conv(inner, Convolution.normalized(channels * Block.BOTTLENECK.expansion, point));
  }

  /** Adds the input, through a 1×1 convolution where the shapes differ. */
  private static Tensor join(ImageLayers layers, Tensor x, Tensor branch, int stride) {
    Tensor shortcut =
        branch.dims().equals(x.dims())
            ? x
            : layers.conv(
                x, Convolution.normalized(branch.channels(), Window.kernel(1).stride(stride)));
    return layers.relu(layers.add(branch, shortcut));
  }
}
