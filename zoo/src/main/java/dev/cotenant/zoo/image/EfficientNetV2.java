package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Activation;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.InvertedResidual;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * EfficientNetV2 [Tan and Le, ICML 2021, Table 4]: the first stages convolve in one step where the
 * others widen, convolve by channel and narrow; the small size.
 */
public final class EfficientNetV2 implements Architecture.Classifier {
  private static final int LAST_CHANNELS = 1280;

  private static final List<Stage> STAGES =
      List.of(
          Stage.fused(1, 1, 24, 2),
          Stage.fused(4, 2, 48, 4),
          Stage.fused(4, 2, 64, 4),
          Stage.mobile(4, 2, 128, 6),
          Stage.mobile(6, 1, 160, 9),
          Stage.mobile(6, 2, 256, 15));

  /**
   * Blocks of one shape.
   *
   * @param kind how they convolve
   * @param scale expansion of channels and the first block's stride
   * @param channels output channels
   * @param blocks how many
   */
  private record Stage(Kind kind, Scale scale, int channels, int blocks) {
    enum Kind {
      FUSED,
      MOBILE
    }

    record Scale(int expansion, int stride) {}

    static Stage fused(int expansion, int stride, int channels, int blocks) {
      return new Stage(Kind.FUSED, new Scale(expansion, stride), channels, blocks);
    }

    static Stage mobile(int expansion, int stride, int channels, int blocks) {
      return new Stage(Kind.MOBILE, new Scale(expansion, stride), channels, blocks);
    }
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.conv(image, MobileNetV2.stem(STAGES.getFirst().channels()), Activation.SILU);
    for (Stage stage : STAGES) {
      for (int index = 0; index < stage.blocks(); index++) {
        x = block(layers, x, stage, index == 0 ? stage.scale().stride() : 1);
      }
    }
    return EfficientNet.head(layers, x, LAST_CHANNELS);
  }

  private static Tensor block(ImageLayers layers, Tensor x, Stage stage, int stride) {
    Window window = Window.kernel(3).same().stride(stride);
    int expanded = x.channels() * stage.scale().expansion();
    return switch (stage.kind()) {
      case MOBILE -> EfficientNet.block(x, expanded, stage.channels(), window).addTo(layers, x);
      case FUSED -> fused(layers, x, Convolution.normalized(expanded, window), stage.channels());
    };
  }

  private static Tensor fused(ImageLayers layers, Tensor x, Convolution widening, int channels) {
    Tensor inner = layers.conv(x, widening, Activation.SILU);
    if (widening.channels() != x.channels()) {
      inner = layers.conv(inner, Convolution.normalized(channels, Window.kernel(1)));
    }
    return InvertedResidual.isResidual(x, channels, widening.window().stride())
        ? layers.add(x, inner)
        : inner;
  }
}
