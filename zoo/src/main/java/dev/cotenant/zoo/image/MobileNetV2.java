package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Activation;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.InvertedResidual;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/** MobileNetV2 [Sandler et al., CVPR 2018, Table 2]. */
public final class MobileNetV2 implements Architecture.Classifier {
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
    Tensor x = layers.conv(image, stem(32), Activation.RELU6);
    for (Stage stage : STAGES) {
      for (int index = 0; index < stage.blocks(); index++) {
        x = block(layers, x, stage, index == 0 ? stage.stride() : 1);
      }
    }
    x = layers.conv(x, Convolution.normalized(1280, Window.kernel(1)), Activation.RELU6);
    return layers.classify(x, 1000);
  }

  private static Tensor block(ImageLayers layers, Tensor x, Stage stage, int stride) {
    return new InvertedResidual(
            x.channels() * stage.expansion(),
            stage.channels(),
            Window.kernel(3).same().stride(stride),
            InvertedResidual.Style.of(Activation.RELU6))
        .addTo(layers, x);
  }

  /** The first convolution of the mobile networks: 3×3, halving the image. */
  public static Convolution stem(int channels) {
    return Convolution.normalized(channels, Window.kernel(3).same().stride(2));
  }
}
