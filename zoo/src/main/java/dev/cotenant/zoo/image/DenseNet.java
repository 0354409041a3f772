package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Densely connected networks [Huang et al., CVPR 2017, Table 1].
 *
 * <p>Normalisation comes before the convolution here, so only those that happen to follow one (the
 * stem's and each layer's second) are folded.
 *
 * @param size how deep and wide it is
 */
public record DenseNet(Size size) implements Architecture.Classifier {
  private static final int BOTTLENECK = 4;
  private static final int CLASSES = 1000;

  /** The published networks: channels that each layer adds, and layers in each dense block. */
  public enum Size {
    DENSENET121(32, 6, 12, 24, 16),
    DENSENET161(48, 6, 12, 36, 24),
    DENSENET169(32, 6, 12, 32, 32),
    DENSENET201(32, 6, 12, 48, 32);

    private final int growth;

    @SuppressWarnings("ImmutableEnumChecker") // List.of cannot be changed
    private final List<Integer> layersInBlocks;

    Size(int growth, Integer... layersInBlocks) {
      this.growth = growth;
      this.layersInBlocks = List.of(layersInBlocks);
    }
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window stem = Window.kernel(7).stride(2).padding(3);
    Tensor x = layers.convRelu(image, Convolution.normalized(2 * size.growth, stem));
    x = layers.maxPool(x, Window.kernel(3).stride(2).padding(1));
    for (int block = 0; block < size.layersInBlocks.size(); block++) {
      if (block > 0) {
        x = transition(layers, x);
      }
      x = denseBlock(layers, x, size.layersInBlocks.get(block));
    }
    x = layers.relu(layers.batchNorm(x));
    return layers.classify(x, CLASSES);
  }

  private Tensor denseBlock(ImageLayers layers, Tensor x, int depth) {
    List<Tensor> features = new ArrayList<>(List.of(x));
    for (int index = 0; index < depth; index++) {
      Tensor inner = layers.relu(layers.batchNorm(layers.concat(features)));
      inner =
          layers.convRelu(
              inner, Convolution.normalized(BOTTLENECK * size.growth, Window.kernel(1)));
      Window window = Window.kernel(3).same();
      features.add(layers.conv(inner, Convolution.unbiased(size.growth, window)));
    }
    return layers.concat(features);
  }

  private static Tensor transition(ImageLayers layers, Tensor x) {
    Tensor inner = layers.relu(layers.batchNorm(x));
    inner = layers.conv(inner, Convolution.unbiased(x.channels() / 2, Window.kernel(1)));
    return layers.averagePool(inner, Window.kernel(2).stride(2));
  }
}
