package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/** Xception [Chollet, CVPR 2017, Figure 5]: convolutions by channel, each with a 1×1 after it. */
public final class Xception implements Architecture.Classifier {
  private static final int MIDDLE_BLOCKS = 8;
  private static final int MIDDLE_CHANNELS = 728;
  private static final int CLASSES = 1000;
  private static final Window SMALL = Window.kernel(3);

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.convRelu(image, Convolution.normalized(32, SMALL.stride(2)));
    x = layers.convRelu(x, Convolution.normalized(64, SMALL));
    x = halving(layers, x, x, List.of(128, 128));
    x = halving(layers, x, layers.relu(x), List.of(256, 256));
    x = halving(layers, x, layers.relu(x), List.of(MIDDLE_CHANNELS, MIDDLE_CHANNELS));
    for (int block = 0; block < MIDDLE_BLOCKS; block++) {
      List<Integer> channels = List.of(MIDDLE_CHANNELS, MIDDLE_CHANNELS, MIDDLE_CHANNELS);
      x = layers.add(separable(layers, layers.relu(x), channels), x);
    }
    x = halving(layers, x, layers.relu(x), List.of(MIDDLE_CHANNELS, 1024));
    x = layers.relu(separable(layers, x, 1536));
    x = layers.relu(separable(layers, x, 2048));
    return layers.classify(x, CLASSES);
  }

  /** Convolutions and a pooling beside a 1×1 convolution with stride 2. */
  private static Tensor halving(
      ImageLayers layers, Tensor x, Tensor active, List<Integer> channels) {
    Tensor inner = separable(layers, active, channels);
    inner = layers.maxPool(inner, SMALL.stride(2).padding(1));
    Window point = Window.kernel(1).stride(2);
    return layers.add(inner, layers.conv(x, Convolution.normalized(channels.getLast(), point)));
  }

  private static Tensor separable(ImageLayers layers, Tensor x, List<Integer> channels) {
    Tensor inner = separable(layers, x, channels.getFirst());
    for (int width : channels.subList(1, channels.size())) {
      inner = separable(layers, layers.relu(inner), width);
    }
    return inner;
  }

  private static Tensor separable(ImageLayers layers, Tensor x, int channels) {
    Convolution depthwise =
        new Convolution(x.channels(), SMALL.same(), x.channels(), Convolution.Bias.NONE);
    return layers.conv(
        layers.conv(x, depthwise), Convolution.normalized(channels, Window.kernel(1)));
  }
}
