package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Activation;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.Excitation;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.InvertedResidual;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * MobileNetV3 [Howard et al., ICCV 2019, Tables 1 and 2].
 *
 * @param blocks in order
 * @param hidden width of the first of the two last layers
 */
public record MobileNetV3(List<InvertedResidual> blocks, int hidden)
    implements Architecture.Classifier {
  private static final int STEM_CHANNELS = 16;
  private static final int SQUEEZE_RATIO = 4;
  private static final int LAST_RATIO = 6;
  private static final int CLASSES = 1000;

  public static final MobileNetV3 SMALL =
      new MobileNetV3(
          List.of(
              excited(relu(16, 16, Window.kernel(3).same().stride(2))),
              relu(72, 24, Window.kernel(3).same().stride(2)),
              relu(88, 24, Window.kernel(3).same()),
              excited(swish(96, 40, Window.kernel(5).same().stride(2))),
              excited(swish(240, 40, Window.kernel(5).same())),
              excited(swish(240, 40, Window.kernel(5).same())),
              excited(swish(120, 48, Window.kernel(5).same())),
              excited(swish(144, 48, Window.kernel(5).same())),
              excited(swish(288, 96, Window.kernel(5).same().stride(2))),
              excited(swish(576, 96, Window.kernel(5).same())),
              excited(swish(576, 96, Window.kernel(5).same()))),
          1024);

  public MobileNetV3 {
    blocks = List.copyOf(blocks);
  }

  /** With squeeze-and-excitation to a quarter of the widened channels. */
  private static InvertedResidual excited(InvertedResidual block) {
    int squeezed = InvertedResidual.divisibleByEight(block.expanded() / (double) SQUEEZE_RATIO);
    Excitation excitation = new Excitation(squeezed, Activation.RELU, Activation.HARD_SIGMOID);
    return new InvertedResidual(
        block.expanded(),
        block.channels(),
        block.window(),
        new InvertedResidual.Style(block.style().activation(), excitation));
  }

  private static InvertedResidual relu(int expanded, int channels, Window window) {
    return new InvertedResidual(
        expanded, channels, window, InvertedResidual.Style.of(Activation.RELU));
  }

  private static InvertedResidual swish(int expanded, int channels, Window window) {
    return new InvertedResidual(
        expanded, channels, window, InvertedResidual.Style.of(Activation.HARD_SWISH));
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.conv(image, MobileNetV2.stem(STEM_CHANNELS), Activation.HARD_SWISH);
    for (InvertedResidual block : blocks) {
      x = block.addTo(layers, x);
    }
    int last = LAST_RATIO * x.channels();
    x = layers.conv(x, Convolution.normalized(last, Window.kernel(1)), Activation.HARD_SWISH);
    x = layers.activate(layers.classify(x, hidden), Activation.HARD_SWISH);
    return layers.linear(x, CLASSES);
  }
}
