package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Activation;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.Excitation;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.InvertedResidual;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/** EfficientNet [Tan and Le, ICML 2019, Table 1], B0. */
public final class EfficientNet implements Architecture.Classifier {
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

  private static final int CLASSES = 1000;

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.conv(image, MobileNetV2.stem(32), Activation.SILU);
    for (Stage stage : STAGES) {
      for (int index = 0; index < stage.blocks(); index++) {
        Window window = index == 0 ? stage.window() : stage.window().stride(1);
        int expanded = x.channels() * stage.expansion();
        x = block(x, expanded, stage.channels(), window).addTo(layers, x);
      }
    }
    return head(layers, x, 4 * x.channels());
  }

  /** A block of both releases, squeezed to a quarter of the channels that it is given. */
  public static InvertedResidual block(Tensor x, int expanded, int channels, Window window) {
    Excitation excitation =
        new Excitation(
            Math.max(1, x.channels() / SQUEEZE_RATIO), Activation.SILU, Activation.SIGMOID);
    return new InvertedResidual(
        expanded, channels, window, new InvertedResidual.Style(Activation.SILU, excitation));
  }

  public static Tensor head(ImageLayers layers, Tensor x, int channels) {
    Tensor last =
        layers.conv(x, Convolution.normalized(channels, Window.kernel(1)), Activation.SILU);
    return layers.classify(last, CLASSES);
  }
}
