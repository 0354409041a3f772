package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * SqueezeNet [Iandola et al., arXiv:1602.07360]; release 1.1 pools earlier and is 2.4 times
 * cheaper.
 *
 * @param stem the first convolution
 * @param modulesAfterPool fire modules after each of the three poolings
 */
public record SqueezeNet(Convolution stem, List<Integer> modulesAfterPool)
    implements Architecture.Classifier {
  public static final SqueezeNet V1_0 =
      new SqueezeNet(Convolution.biased(96, Window.kernel(7).stride(2)), List.of(3, 4, 1));
  public static final SqueezeNet V1_1 =
      new SqueezeNet(Convolution.biased(64, Window.kernel(3).stride(2)), List.of(2, 2, 4));

  /** Squeezed channels of the fire modules, in order; each expands to eight times as many. */
  private static final List<Integer> SQUEEZED = List.of(16, 16, 32, 32, 48, 48, 64, 64);

  private static final int HALF_EXPANSION = 4;
  private static final int CLASSES = 1000;

  public SqueezeNet {
    modulesAfterPool = List.copyOf(modulesAfterPool);
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.convRelu(image, stem);
    int module = 0;
    for (int modules : modulesAfterPool) {
      x = layers.maxPoolRoundedUp(x, Window.kernel(3).stride(2));
      for (int index = 0; index < modules; index++) {
        x = fire(layers, x, SQUEEZED.get(module++));
      }
    }
    x = layers.convRelu(x, Convolution.biased(CLASSES, Window.kernel(1)));
    return layers.flatten(layers.globalAveragePool(x));
  }

  private static Tensor fire(ImageLayers layers, Tensor x, int squeezed) {
    int expanded = squeezed * HALF_EXPANSION;
    Tensor narrow = layers.convRelu(x, Convolution.biased(squeezed, Window.kernel(1)));
    return layers.concat(
        List.of(
            layers.convRelu(narrow, Convolution.biased(expanded, Window.kernel(1))),
            layers.convRelu(narrow, Convolution.biased(expanded, Window.kernel(3).same()))));
  }
}
