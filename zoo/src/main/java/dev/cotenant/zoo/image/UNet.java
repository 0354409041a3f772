package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * U-Net [Ronneberger et al., MICCAI 2015] on a residual network, as {@code
 * segmentation_models_pytorch} builds it: five times the image is halved, five times doubled.
 */
public final class UNet {
  public static final int SIDE = 512;

  private static final List<Integer> DECODER = List.of(256, 128, 64, 32, 16);

  /** Classes of Pascal VOC. */
  private static final int CLASSES = 21;

  private UNet() {}

  /** A score for each class and pixel. */
  public static Tensor scores(ImageLayers layers, Tensor image) {
    List<Tensor> skips =
        new ArrayList<>(ResNet.of(ResNet.Block.BASIC, 3, 4, 6, 3).maps(layers, image));
    Tensor x = skips.removeLast();
    for (int channels : DECODER) {
      x = layers.upsample(x);
      if (!skips.isEmpty()) {
        x = layers.concat(List.of(x, skips.removeLast()));
      }
      Window window = Window.kernel(3).same();
      x = layers.convRelu(x, Convolution.normalized(channels, window));
      x = layers.convRelu(x, Convolution.normalized(channels, window));
    }
    return layers.conv(x, Convolution.biased(CLASSES, Window.kernel(3).same()));
  }
}
