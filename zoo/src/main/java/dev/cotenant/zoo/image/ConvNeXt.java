package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * ConvNeXt [Liu et al., CVPR 2022, Table 9]: blocks of a 7×7 convolution by channel and two linear
 * layers on every pixel, for which the exporter moves the channels last.
 *
 * @param blocks number of blocks in each of the four stages
 * @param channels of the first stage; each stage doubles them
 */
public record ConvNeXt(List<Integer> blocks, int channels) implements Architecture.Classifier {
  private static final float EPSILON = 1e-6f;
  private static final int EXPANSION = 4;
  private static final int PATCH = 4;
  private static final int CLASSES = 1000;

  public ConvNeXt {
    blocks = List.copyOf(blocks);
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    SequenceLayers pixels = new SequenceLayers(layers.graph());
    Window patches = Window.kernel(PATCH).stride(PATCH);
    Tensor x = layers.conv(image, Convolution.biased(channels, patches));
    x = normalized(pixels, x);
    for (int stage = 0; stage < blocks.size(); stage++) {
      if (stage > 0) {
        Window halving = Window.kernel(2).stride(2);
        x = normalized(pixels, x);
        x = layers.conv(x, Convolution.biased(channels << stage, halving));
      }
      for (int index = 0; index < blocks.get(stage); index++) {
        x = block(layers, pixels, x);
      }
    }
    x = normalized(pixels, layers.globalAveragePool(x));
    return layers.linear(layers.flatten(x), CLASSES);
  }

  private static Tensor block(ImageLayers layers, SequenceLayers pixels, Tensor x) {
    Window window = Window.kernel(7).same();
    Convolution depthwise =
        new Convolution(x.channels(), window, x.channels(), Convolution.Bias.OWN);
    Tensor inner = channelsLast(pixels, layers.conv(x, depthwise));
    inner = pixels.layerNorm(inner, EPSILON);
    inner = pixels.gelu(pixels.linear(inner, EXPANSION * x.channels()));
    inner = channelsFirst(pixels, pixels.linear(inner, x.channels()));
    return layers.add(layers.scale(inner), x);
  }

  private static Tensor normalized(SequenceLayers pixels, Tensor x) {
    return channelsFirst(pixels, pixels.layerNorm(channelsLast(pixels, x), EPSILON));
  }

  private static Tensor channelsLast(SequenceLayers pixels, Tensor x) {
    return pixels.transpose(x, 0, 2, 3, 1);
  }

  private static Tensor channelsFirst(SequenceLayers pixels, Tensor x) {
    return pixels.transpose(x, 0, 3, 1, 2);
  }
}
