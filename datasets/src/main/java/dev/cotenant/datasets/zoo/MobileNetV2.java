package dev.cotenant.datasets.zoo;

import java.util.List;

/** MobileNetV2 at width 1.0 [Sandler et al., CVPR 2018, Table 2]. */
final class MobileNetV2 implements Architecture.Classifier {
  private record Stage(int expansion, int channels, int blocks, int stride) {}

  private static final List<Stage> STAGES =
      List.of(
          new Stage(1, 16, 1, 1),
          new Stage(6, 24, 2, 2),
          new Stage(6, 32, 3, 2),
          new Stage(6, 64, 4, 2),
          new Stage(6, 96, 3, 1),
          new Stage(6, 160, 3, 2),
          new Stage(6, 320, 1, 1));

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = convRelu6(layers, image, stem(32));
    for (Stage stage : STAGES) {
      for (int index = 0; index < stage.blocks(); index++) {
        x = invertedResidual(layers, x, stage, index == 0 ? stage.stride() : 1);
      }
    }
    x = convRelu6(layers, x, Convolution.normalized(1280, Window.kernel(1)));
    return layers.linear(layers.flatten(layers.globalAveragePool(x)), 1000);
  }

  /** The first convolution of the mobile networks: 3×3, halving the image. */
  static Convolution stem(int channels) {
    return Convolution.normalized(channels, Window.kernel(3).same().stride(2));
  }

  private static Tensor invertedResidual(ImageLayers layers, Tensor x, Stage stage, int stride) {
    int widened = x.channels() * stage.expansion();
    Tensor inner = x;
    if (stage.expansion() != 1) {
      inner = convRelu6(layers, x, Convolution.normalized(widened, Window.kernel(1)));
    }
    Window window = Window.kernel(3).same().stride(stride);
    inner = convRelu6(layers, inner, Convolution.depthwise(widened, window));
    inner = layers.conv(inner, Convolution.normalized(stage.channels(), Window.kernel(1)));
    return isResidual(x, inner, stride) ? layers.add(x, inner) : inner;
  }

  /** Whether a block of a mobile network adds its input: same channels and no stride. */
  static boolean isResidual(Tensor input, Tensor output, int stride) {
    return stride == 1 && input.channels() == output.channels();
  }

  private static Tensor convRelu6(ImageLayers layers, Tensor x, Convolution layer) {
    return layers.relu6(layers.conv(x, layer));
  }
}
