package dev.cotenant.datasets.zoo;

import java.util.List;

/**
 * VGG without batch normalisation [Simonyan and Zisserman, ICLR 2015, Table 1].
 *
 * @param depths 3×3 convolutions in each of the five stages
 */
record Vgg(List<Integer> depths) implements Architecture.Classifier {
  private static final List<Integer> CHANNELS = List.of(64, 128, 256, 512, 512);
  private static final int POOLED_SIDE = 7;

  Vgg {
    depths = List.copyOf(depths);
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = image;
    for (int stage = 0; stage < depths.size(); stage++) {
      for (int index = 0; index < depths.get(stage); index++) {
        Window window = Window.kernel(3).same();
        x = layers.convRelu(x, Convolution.biased(CHANNELS.get(stage), window));
      }
      x = layers.maxPool(x, Window.kernel(2).stride(2));
    }
    return head(layers, layers.adaptiveAveragePool(x, POOLED_SIDE));
  }

  /** The three linear layers that AlexNet and VGG end with. */
  static Tensor head(ImageLayers layers, Tensor pooled) {
    Tensor x = layers.relu(layers.linear(layers.flatten(pooled), 4096));
    return layers.linear(layers.relu(layers.linear(x, 4096)), 1000);
  }
}
