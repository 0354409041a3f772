package dev.cotenant.datasets.zoo;

import java.util.ArrayList;
import java.util.List;

/**
 * Densely connected networks [Huang et al., CVPR 2017, Table 1].
 *
 * <p>Normalisation comes before the convolution here, so only those that happen to follow one (the
 * stem's and each layer's second) are folded.
 *
 * @param layersInBlocks layers in each dense block
 */
record DenseNet(List<Integer> layersInBlocks) implements Architecture.Classifier {
  private static final int GROWTH = 32;
  private static final int BOTTLENECK = 4 * GROWTH;

  DenseNet {
    layersInBlocks = List.copyOf(layersInBlocks);
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window stem = Window.kernel(7).stride(2).padding(3);
    Tensor x = layers.convRelu(image, Convolution.normalized(2 * GROWTH, stem));
    x = layers.maxPool(x, Window.kernel(3).stride(2).padding(1));
    for (int block = 0; block < layersInBlocks.size(); block++) {
      if (block > 0) {
        x = transition(layers, x);
      }
      x = denseBlock(layers, x, layersInBlocks.get(block));
    }
    x = layers.relu(layers.batchNorm(x));
    return layers.linear(layers.flatten(layers.globalAveragePool(x)), 1000);
  }

  private static Tensor denseBlock(ImageLayers layers, Tensor x, int depth) {
    List<Tensor> features = new ArrayList<>(List.of(x));
    for (int index = 0; index < depth; index++) {
      Tensor inner = layers.relu(layers.batchNorm(layers.concat(features)));
      inner = layers.convRelu(inner, Convolution.normalized(BOTTLENECK, Window.kernel(1)));
      Window window = Window.kernel(3).same();
      features.add(layers.conv(inner, Convolution.unbiased(GROWTH, window)));
    }
    return layers.concat(features);
  }

  private static Tensor transition(ImageLayers layers, Tensor x) {
    Tensor inner = layers.relu(layers.batchNorm(x));
    inner = layers.conv(inner, Convolution.unbiased(x.channels() / 2, Window.kernel(1)));
    return layers.averagePool(inner, Window.kernel(2).stride(2));
  }
}
