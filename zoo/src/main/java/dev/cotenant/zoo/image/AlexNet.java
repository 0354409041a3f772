package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;

/** AlexNet in one tower [Krizhevsky, arXiv:1404.5997], as torchvision has it. */
public record AlexNet() implements Architecture.Classifier {
  private static final int POOLED_SIDE = 6;
  private static final int FEATURES = 4096;
  private static final int CLASSES = 1000;

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window pool = Window.kernel(3).stride(2);
    Window stem = Window.kernel(11).stride(4).padding(2);
    Tensor x = layers.maxPool(layers.convRelu(image, Convolution.biased(64, stem)), pool);
    x = layers.maxPool(layers.convRelu(x, biased(192, 5)), pool);
    x = layers.convRelu(x, biased(384, 3));
    x = layers.convRelu(layers.convRelu(x, biased(256, 3)), biased(256, 3));
    x = layers.adaptiveAveragePool(layers.maxPool(x, pool), POOLED_SIDE);
    x = layers.relu(layers.linear(layers.flatten(x), FEATURES));
    return layers.linear(layers.relu(layers.linear(x, FEATURES)), CLASSES);
  }

  private static Convolution biased(int channels, int side) {
    return Convolution.biased(channels, Window.kernel(side).same());
  }
}
