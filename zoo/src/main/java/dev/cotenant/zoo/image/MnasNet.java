package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Activation;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.InvertedResidual;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/** MNASNet-B1 [Tan et al., CVPR 2019, Figure 7a], as in torchvision. */
public final class MnasNet implements Architecture.Classifier {
  private record Stage(int channels, Window window, int expansion, int blocks) {}

  private static final List<Stage> STAGES =
      List.of(
          new Stage(24, Window.kernel(3).same().stride(2), 3, 3),
          new Stage(40, Window.kernel(5).same().stride(2), 3, 3),
          new Stage(80, Window.kernel(5).same().stride(2), 6, 3),
          new Stage(96, Window.kernel(3).same(), 6, 2),
          new Stage(192, Window.kernel(5).same().stride(2), 6, 4),
          new Stage(320, Window.kernel(3).same(), 6, 1));

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.convRelu(image, MobileNetV2.stem(32));
    x = layers.convRelu(x, Convolution.depthwise(32, Window.kernel(3).same()));
    x = layers.conv(x, Convolution.normalized(16, Window.kernel(1)));
    for (Stage stage : STAGES) {
      for (int index = 0; index < stage.blocks(); index++) {
        x = block(layers, x, stage, index == 0 ? stage.window() : stage.window().stride(1));
      }
    }
    x = layers.convRelu(x, Convolution.normalized(1280, Window.kernel(1)));
    return layers.linear(layers.spatialMean(x), 1000);
  }

  private static Tensor block(ImageLayers layers, Tensor x, Stage stage, Window window) {
    return new InvertedResidual(
            x.channels() * stage.expansion(),
            stage.channels(),
            window,
            InvertedResidual.Style.of(Activation.RELU))
        .addTo(layers, x);
  }
}
