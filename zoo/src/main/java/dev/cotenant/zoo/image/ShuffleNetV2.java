package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/** ShuffleNet V2 [Ma et al., ECCV 2018, Table 5] of width 1. */
public final class ShuffleNetV2 implements Architecture.Classifier {
  private static final List<Integer> STAGE_CHANNELS = List.of(116, 232, 464);
  private static final List<Integer> BLOCKS = List.of(4, 8, 4);
  private static final int BRANCHES = 2;

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.convRelu(image, MobileNetV2.stem(24));
    x = layers.maxPool(x, Window.kernel(3).stride(2).padding(1));
    x = stages(layers, x);
    x = layers.convRelu(x, Convolution.normalized(1024, Window.kernel(1)));
    return layers.linear(layers.spatialMean(x), 1000);
  }

  private static Tensor stages(ImageLayers layers, Tensor image) {
    Tensor x = image;
    for (int stage = 0; stage < BLOCKS.size(); stage++) {
      x = down(layers, x, STAGE_CHANNELS.get(stage) / BRANCHES);
      for (int index = 1; index < BLOCKS.get(stage); index++) {
        x = keep(layers, x);
      }
    }
    return x;
  }

  /** The unit that halves the image, both branches at work [Figure 3d]. */
  private static Tensor down(ImageLayers layers, Tensor x, int channels) {
    Window window = Window.kernel(3).same().stride(2);
    Tensor left = layers.conv(x, Convolution.depthwise(x.channels(), window));
    left = layers.convRelu(left, Convolution.normalized(channels, Window.kernel(1)));
    return join(layers, left, branch(layers, x, channels, window));
  }

  /** The basic unit: half of the channels pass untouched [Figure 3c]. */
  private static Tensor keep(ImageLayers layers, Tensor x) {
    List<Tensor> halves = layers.halves(x);
    Tensor worked = halves.getLast();
    Window window = Window.kernel(3).same();
    return join(layers, halves.getFirst(), branch(layers, worked, worked.channels(), window));
  }

  private static Tensor branch(ImageLayers layers, Tensor x, int channels, Window window) {
    Tensor inner = layers.convRelu(x, Convolution.normalized(channels, Window.kernel(1)));
    inner = layers.conv(inner, Convolution.depthwise(channels, window));
    return layers.convRelu(inner, Convolution.normalized(channels, Window.kernel(1)));
  }

  private static Tensor join(ImageLayers layers, Tensor left, Tensor right) {
    return layers.shuffleChannels(layers.concat(List.of(left, right)), BRANCHES);
  }
}
