package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * Inception v3 [Szegedy et al., CVPR 2016, Table 1] as torchvision builds it for inference: without
 * the auxiliary classifier, which only training runs.
 */
public final class InceptionV3 implements Architecture.Classifier {
  private static final Window POINT = Window.kernel(1);
  private static final Window SMALL = Window.kernel(3).same();
  private static final Window HALVING = Window.kernel(3).stride(2);
  private static final Window ROW = Window.kernel(1, 7).same();
  private static final Window COLUMN = Window.kernel(7, 1).same();

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = stem(layers, image);
    for (int pooled : List.of(32, 64, 64)) {
      x = moduleA(layers, x, pooled);
    }
    x = reductionB(layers, x);
    for (int narrow : List.of(128, 160, 160, 192)) {
      x = moduleC(layers, x, narrow);
    }
    x = reductionD(layers, x);
    x = moduleE(layers, moduleE(layers, x));
    return layers.linear(layers.flatten(layers.globalAveragePool(x)), 1000);
  }

  private static Tensor stem(ImageLayers layers, Tensor image) {
    Tensor x = conv(layers, image, 32, HALVING);
    x = conv(layers, x, 32, Window.kernel(3));
    x = conv(layers, x, 64, SMALL);
    x = layers.maxPool(x, HALVING);
    x = conv(layers, x, 80, POINT);
    x = conv(layers, x, 192, Window.kernel(3));
    return layers.maxPool(x, HALVING);
  }

  private static Tensor moduleA(ImageLayers layers, Tensor x, int pooledChannels) {
    Tensor direct = conv(layers, x, 64, POINT);
    Tensor wide = conv(layers, conv(layers, x, 48, POINT), 64, Window.kernel(5).same());
    Tensor twice = conv(layers, conv(layers, x, 64, POINT), 96, SMALL);
    twice = conv(layers, twice, 96, SMALL);
    return layers.concat(List.of(direct, wide, twice, pooled(layers, x, pooledChannels)));
  }

  private static Tensor reductionB(ImageLayers layers, Tensor x) {
    Tensor direct = conv(layers, x, 384, HALVING);
    Tensor twice = conv(layers, conv(layers, x, 64, POINT), 96, SMALL);
    twice = conv(layers, twice, 96, HALVING);
    return layers.concat(List.of(direct, twice, layers.maxPool(x, HALVING)));
  }

  private static Tensor moduleC(ImageLayers layers, Tensor x, int narrow) {
    Tensor direct = conv(layers, x, 192, POINT);
    Tensor once = conv(layers, conv(layers, x, narrow, POINT), narrow, ROW);
    once = conv(layers, once, 192, COLUMN);
    Tensor twice = conv(layers, conv(layers, x, narrow, POINT), narrow, COLUMN);
    twice = conv(layers, conv(layers, twice, narrow, ROW), narrow, COLUMN);
    twice = conv(layers, twice, 192, ROW);
    return layers.concat(List.of(direct, once, twice, pooled(layers, x, 192)));
  }

  private static Tensor reductionD(ImageLayers layers, Tensor x) {
    Tensor direct = conv(layers, conv(layers, x, 192, POINT), 320, HALVING);
    Tensor twice = conv(layers, conv(layers, x, 192, POINT), 192, ROW);
    twice = conv(layers, conv(layers, twice, 192, COLUMN), 192, HALVING);
    return layers.concat(List.of(direct, twice, layers.maxPool(x, HALVING)));
  }

  private static Tensor moduleE(ImageLayers layers, Tensor x) {
    Tensor direct = conv(layers, x, 320, POINT);
    Tensor once = fork(layers, conv(layers, x, 384, POINT));
    Tensor twice = fork(layers, conv(layers, conv(layers, x, 448, POINT), 384, SMALL));
    return layers.concat(List.of(direct, once, twice, pooled(layers, x, 192)));
  }

  /** A 1×3 and a 3×1 convolution side by side. */
  private static Tensor fork(ImageLayers layers, Tensor x) {
    return layers.concat(
        List.of(
            conv(layers, x, 384, Window.kernel(1, 3).same()),
            conv(layers, x, 384, Window.kernel(3, 1).same())));
  }

  private static Tensor pooled(ImageLayers layers, Tensor x, int channels) {
    return conv(layers, layers.averagePool(x, SMALL), channels, POINT);
  }

  private static Tensor conv(ImageLayers layers, Tensor x, int channels, Window window) {
    return layers.convRelu(x, Convolution.normalized(channels, window));
  }
}
