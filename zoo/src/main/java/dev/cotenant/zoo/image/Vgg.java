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
 * @param style what comes after each of them
 * @param head how it ends
 */
public record Vgg(Size size, Style style, Head head) implements Architecture.Classifier {
  private static final List<Integer> CHANNELS = List.of(64, 128, 256, 512, 512);
  private static final int POOLED_SIDE = 7;
  private static final int CIFAR_CLASSES = 10;

  /** The published networks, by their 3×3 convolutions in each of the five stages. */
  public enum Size {
    VGG11(1, 1, 2, 2, 2),
    VGG13(2, 2, 2, 2, 2),
    VGG16(2, 2, 3, 3, 3),
    VGG19(2, 2, 4, 4, 4);

    @SuppressWarnings("ImmutableEnumChecker") // List.of cannot be changed
    private final List<Integer> depths;

    Size(Integer... depths) {
      this.depths = List.of(depths);
    }
  }

  /** What comes between a convolution and its activation. */
  public enum Style {
    PLAIN,
    /** Batch normalisation, which is folded into the convolution. */
    NORMALIZED
  }

  /** How the network ends. */
  public enum Head {
    /** Three linear layers on 7×7 pixels; 1,000 classes. */
    IMAGENET,
    /** One linear layer on what five poolings leave of 32×32 pixels, one; 10 classes. */
    CIFAR
  }

  public static Vgg plain(Size size) {
    return new Vgg(size, Style.PLAIN, Head.IMAGENET);
  }

  public static Vgg normalized(Size size) {
    return new Vgg(size, Style.NORMALIZED, Head.IMAGENET);
  }

  /** As in kuangliu/pytorch-cifar. */
  public static Vgg cifar(Size size) {
    return new Vgg(size, Style.NORMALIZED, Head.CIFAR);
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
    return switch (style) {
      case PLAIN -> Convolution.biased(channels, window);
      case NORMALIZED -> Convolution.normalized(channels, window);
    };
  }

  /** The three linear layers that AlexNet and VGG end with. */
  public static Tensor head(ImageLayers layers, Tensor pooled) {
    Tensor x = layers.relu(layers.linear(layers.flatten(pooled), 4096));
    return layers.linear(layers.relu(layers.linear(x, 4096)), 1000);
  }
}
