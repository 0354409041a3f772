package dev.cotenant.datasets.zoo;

import java.util.List;

/** EfficientNet-B0 [Tan and Le, ICML 2019, Table 1]. */
final class EfficientNet implements Architecture.Classifier {
  private record Stage(int channels, Window window, int expansion, int blocks) {}

  private static final List<Stage> STAGES =
      List.of(
          new Stage(16, Window.kernel(3).same(), 1, 1),
          new Stage(24, Window.kernel(3).same().stride(2), 6, 2),
          new Stage(40, Window.kernel(5).same().stride(2), 6, 2),
          new Stage(80, Window.kernel(3).same().stride(2), 6, 3),
          new Stage(112, Window.kernel(5).same(), 6, 3),
          new Stage(192, Window.kernel(5).same().stride(2), 6, 4),
          new Stage(320, Window.kernel(3).same(), 6, 1));

  /** Squeeze-and-excitation narrows to a quarter of the block's input channels. */
  private static final int SQUEEZE_RATIO = 4;

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = convSilu(layers, image, MobileNetV2.stem(32));
    for (Stage stage : STAGES) {
      for (int index = 0; index < stage.blocks(); index++) {
        x = block(layers, x, stage, index == 0 ? stage.window() : stage.window().stride(1));
      }
    }
    x = convSilu(layers, x, Convolution.normalized(1280, Window.kernel(1)));
    return layers.linear(layers.flatten(layers.globalAveragePool(x)), 1000);
  }

  private static Tensor block(ImageLayers layers, Tensor x, Stage stage, Window window) {
    int widened = x.channels() * stage.expansion();
    Tensor inner = x;
    if (stage.expansion() != 1) {
      inner = convSilu(layers, x, Convolution.normalized(widened, Window.kernel(1)));
    }
    inner = convSilu(layers, inner, Convolution.depthwise(widened, window));
    inner = excite(layers, inner, x.channels() / SQUEEZE_RATIO);
    inner = layers.conv(inner, Convolution.normalized(stage.channels(), Window.kernel(1)));
    return MobileNetV2.isResidual(x, inner, window.stride()) ? layers.add(inner, x) : inner;
  }

  private static Tensor excite(ImageLayers layers, Tensor x, int squeezed) {
    Tensor scale = layers.globalAveragePool(x);
    scale = convSilu(layers, scale, Convolution.biased(squeezed, Window.kernel(1)));
    scale = layers.conv(scale, Convolution.biased(x.channels(), Window.kernel(1)));
    return layers.multiply(x, layers.sigmoid(scale));
  }

  private static Tensor convSilu(ImageLayers layers, Tensor x, Convolution layer) {
    return layers.silu(layers.conv(x, layer));
  }
}
