package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * VGG [Simonyan and Zisserman, ICLR 2015, Table 1].
 *
 * @param size how deep it is
 * @param head how it ends
 */
public record Vgg(Size size, Head head) implements Architecture.Classifier {
  private static final List<Integer> CHANNELS = List.of(64, 128, 256, 512, 512);
  private static final int POOLED_SIDE = 7;
  private static final int CIFAR_CLASSES = 10;

  /** The published networks, by their 3×3 convolutions in each of the five stages. */
  public enum Size {
    VGG11(1, 1, 2, 2, 2),
    VGG16(2, 2, 3, 3, 3),
    VGG19(2, 2, 4, 4, 4);

    @SuppressWarnings("ImmutableEnumChecker") // List.of cannot be changed
    private final List<Integer> depths;

    Size(Integer... depths) {
      this.depths = List.of(depths);
    }
  }

  /** How the network ends. */
  public enum Head {
    /** Three linear layers on 7×7 pixels; 1,000 classes. Convolutions have no normalisation. */
    IMAGENET,
    /**
     * One linear layer on what five poolings leave of 32×32 pixels, one; 10 classes. Batch
     * normalisation, which is folded into the convolutions.
     */
    CIFAR
  }

  public static Vgg of(Size size) {
    return new Vgg(size, Head.IMAGENET);
  }

  /** As in kuangliu/pytorch-cifar. */
  public static Vgg cifar(Size size) {
    return new Vgg(size, Head.CIFAR);
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = image;
    List<Integer> depths = size.depths;
    for (int stage = 0; stage < depths.size(); stage++) {
      for (int index = 0; index < depths.get(stage); index++) {
        x = layers.convRelu(x, convolution(CHANNELS.get(stage)));
      }
      x = layers.maxPool(x, Window.kernel(2).stride(2));
    }
    return switch (head) {
      case IMAGENET -> head(layers, layers.adaptiveAveragePool(x, POOLED_SIDE));
      case CIFAR -> layers.linear(layers.flatten(x), CIFAR_CLASSES);
    };
  }

  private Convolution convolution(int channels) {
    Window window = Window.kernel(3).same();
    return switch (head) {
      case IMAGENET -> Convolution.biased(channels, window);
      case CIFAR -> Convolution.normalized(channels, window);
    };
  }

  private static Tensor head(ImageLayers layers, Tensor pooled) {
    Tensor x = layers.relu(layers.linear(layers.flatten(pooled), 4096));
    return layers.linear(layers.relu(layers.linear(x, 4096)), 1000);
  }
}
