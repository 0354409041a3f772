package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;

/** AlexNet on one GPU [Krizhevsky, arXiv:1404.5997], as torchvision builds it. */
public final class AlexNet implements Architecture.Classifier {
  private static final int POOLED_SIDE = 6;

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window pool = Window.kernel(3).stride(2);
    Window narrow = Window.kernel(3).same();
    Window stem = Window.kernel(11).stride(4).padding(2);
    Tensor x = layers.convRelu(image, Convolution.biased(64, stem));
    x = layers.maxPool(x, pool);
    x = layers.convRelu(x, Convolution.biased(192, Window.kernel(5).same()));
    x = layers.maxPool(x, pool);
    x = layers.convRelu(x, Convolution.biased(384, narrow));
    x = layers.convRelu(x, Convolution.biased(256, narrow));
    x = layers.convRelu(x, Convolution.biased(256, narrow));
    x = layers.maxPool(x, pool);
    return Vgg.head(layers, layers.adaptiveAveragePool(x, POOLED_SIDE));
  }
}
