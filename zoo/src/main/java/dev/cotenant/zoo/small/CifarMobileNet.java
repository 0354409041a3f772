package dev.cotenant.zoo.small;

import dev.cotenant.zoo.layers.Activation;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.Excitation;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * Mobile networks for 32×32 images as in kuangliu/pytorch-cifar. They differ from the originals in
 * the strides, in that every block widens, and in a convolution on the shortcut of a block that
 * changes the channels without a stride.
 *
 * @param stages blocks of one shape, in order
 * @param tail what comes before the classifier
 */
public record CifarMobileNet(List<Stage> stages, Tail tail) implements Architecture.Classifier {
  private static final int STEM_CHANNELS = 32;
  private static final int SQUEEZE_RATIO = 16;
  private static final int CLASSES = 10;

  public static final CifarMobileNet V2 =
      new CifarMobileNet(
          List.of(
              new Stage(1, 16, 1, 1),
              new Stage(6, 24, 2, 1),
              new Stage(6, 32, 3, 2),
              new Stage(6, 64, 4, 2),
              new Stage(6, 96, 3, 1),
              new Stage(6, 160, 3, 2),
              new Stage(6, 320, 1, 1)),
          Tail.WIDENED);

  /**
   * EfficientNet-B0 as that collection first had it, and with it the profiles of Lucid: kernels of
   * 3×3 throughout, ReLU, and squeeze-and-excitation after the last convolution of a block.
   */
  public static final CifarMobileNet EFFICIENT =
      new CifarMobileNet(
          List.of(
              new Stage(1, 16, 1, 2),
              new Stage(6, 24, 2, 1),
              new Stage(6, 40, 2, 2),
              new Stage(6, 80, 3, 2),
              new Stage(6, 112, 3, 1),
              new Stage(6, 192, 4, 2),
              new Stage(6, 320, 1, 2)),
          Tail.EXCITED);

  public CifarMobileNet {
    stages = List.copyOf(stages);
  }

  /** Blocks of one shape; the stride is the first one's. */
  public record Stage(int expansion, int channels, int blocks, int stride) {}

  /** In what the two differ beside their stages. */
  public enum Tail {
    /** A last 1×1 convolution to 1,280 channels. */
    WIDENED,
    /** Squeeze-and-excitation in every block, nothing after the last. */
    EXCITED
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window stem = Window.kernel(3).same();
    Tensor x = layers.convRelu(image, Convolution.normalized(STEM_CHANNELS, stem));
    for (Stage stage : stages) {
      for (int index = 0; index < stage.blocks(); index++) {
        x = block(layers, x, stage, index == 0 ? stage.stride() : 1);
      }
    }
    if (tail == Tail.WIDENED) {
      x = layers.convRelu(x, Convolution.normalized(1280, Window.kernel(1)));
    }
    return layers.classify(x, CLASSES);
  }

  private Tensor block(ImageLayers layers, Tensor x, Stage stage, int stride) {
    int widened = x.channels() * stage.expansion();
    Window window = Window.kernel(3).same().stride(stride);
    Window point = Window.kernel(1);
    Tensor inner = layers.convRelu(x, Convolution.normalized(widened, point));
    inner = layers.convRelu(inner, Convolution.depthwise(widened, window));
    inner = layers.conv(inner, Convolution.normalized(stage.channels(), point));
    Tensor excited = tail == Tail.EXCITED ? excite(layers, inner) : inner;
    if (stride != 1) {
      return tail == Tail.EXCITED ? layers.add(excited, inner) : inner;
    }
    boolean same = x.channels() == stage.channels();
    Tensor shortcut = same ? x : layers.conv(x, Convolution.normalized(stage.channels(), point));
    return layers.add(excited, shortcut);
  }

  private static Tensor excite(ImageLayers layers, Tensor x) {
    return layers.excite(
        x, new Excitation(x.channels() / SQUEEZE_RATIO, Activation.RELU, Activation.SIGMOID));
  }
}
