package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.ArrayList;
import java.util.List;

/** MobileNet at width 1 [Howard et al., arXiv:1704.04861, Table 1]. */
public final class MobileNetV1 implements Architecture.Classifier {
  private static final int CLASSES = 1000;

  /** Output channels of the separable convolutions; where they double, they halve the image. */
  private static final List<Integer> CHANNELS =
      List.of(64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024);

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    return layers.classify(features(layers, image).getLast(), CLASSES);
  }

  /** What each of the thirteen separable convolutions gives. */
  public static List<Tensor> features(ImageLayers layers, Tensor image) {
    List<Tensor> results = new ArrayList<>();
    Tensor x = layers.convRelu(image, MobileNetV2.stem(32));
    for (int channels : CHANNELS) {
      boolean halves = channels > x.channels() && !results.isEmpty();
      x = separable(layers, x, channels, halves ? 2 : 1);
      results.add(x);
    }
    return results;
  }

  private static Tensor separable(ImageLayers layers, Tensor x, int channels, int stride) {
    Window window = Window.kernel(3).same().stride(stride);
    Tensor inner = layers.convRelu(x, Convolution.depthwise(x.channels(), window));
    return layers.convRelu(inner, Convolution.normalized(channels, Window.kernel(1)));
  }
}
