package dev.cotenant.zoo.small;

import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;

/** LeNet-5 [LeCun et al., 1998, Figure 2] on grey images of 28×28, fully connected inside. */
public final class LeNet {
  public static final int SIDE = 28;

  private LeNet() {}

  public static Tensor scores(ImageLayers layers, Tensor image) {
    Window pool = Window.kernel(2).stride(2);
    Tensor x = layers.convRelu(image, Convolution.biased(6, Window.kernel(5).same()));
    x = layers.maxPool(x, pool);
    x = layers.maxPool(layers.convRelu(x, Convolution.biased(16, Window.kernel(5))), pool);
    x = layers.relu(layers.linear(layers.flatten(x), 120));
    return layers.linear(layers.relu(layers.linear(x, 84)), 10);
  }
}
