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
 * @param growth channels that each layer adds
 * @param stem how the image enters
 */
record DenseNet(List<Integer> layersInBlocks, int growth, Stem stem)
    implements Architecture.Classifier {
  private static final int BOTTLENECK = 4;

  DenseNet {
    layersInBlocks = List.copyOf(layersInBlocks);
  }

  /** How the image enters. */
  enum Stem {
    /** 7×7 with stride 2 and a pooling; 1,000 classes. */
    IMAGENET(1000) {
      @Override
      Tensor addTo(ImageLayers layers, Tensor image, int channels) {
        Window window = Window.kernel(7).stride(2).padding(3);
        Tensor x = layers.convRelu(image, Convolution.normalized(channels, window));
        return layers.maxPool(x, Window.kernel(3).stride(2).padding(1));
      }
    },
    /** 3×3 that keeps the 32×32 pixels; 10 classes, as in kuangliu/pytorch-cifar. */
    CIFAR(10) {
      @Override
      Tensor addTo(ImageLayers layers, Tensor image, int channels) {
        return layers.conv(image, Convolution.unbiased(channels, Window.kernel(3).same()));
      }
    };

    private final int classes;

    Stem(int classes) {
      this.classes = classes;
    }

    abstract Tensor addTo(ImageLayers layers, Tensor image, int channels);
  }

  static DenseNet of(int growth, Integer... layersInBlocks) {
    return new DenseNet(List.of(layersInBlocks), growth, Stem.IMAGENET);
  }

  static DenseNet cifar(int growth, Integer... layersInBlocks) {
    return new DenseNet(List.of(layersInBlocks), growth, Stem.CIFAR);
  }

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = stem.addTo(layers, image, 2 * growth);
    for (int block = 0; block < layersInBlocks.size(); block++) {
      if (block > 0) {
        x = transition(layers, x);
      }
      x = denseBlock(layers, x, layersInBlocks.get(block));
    }
    x = layers.relu(layers.batchNorm(x));
    return layers.classify(x, stem.classes);
  }

  private Tensor denseBlock(ImageLayers layers, Tensor x, int depth) {
    List<Tensor> features = new ArrayList<>(List.of(x));
    for (int index = 0; index < depth; index++) {
      Tensor inner = layers.relu(layers.batchNorm(layers.concat(features)));
      inner = layers.convRelu(inner, Convolution.normalized(BOTTLENECK * growth, Window.kernel(1)));
      Window window = Window.kernel(3).same();
      features.add(layers.conv(inner, Convolution.unbiased(growth, window)));
    }
    return layers.concat(features);
  }

  private static Tensor transition(ImageLayers layers, Tensor x) {
    Tensor inner = layers.relu(layers.batchNorm(x));
    inner = layers.conv(inner, Convolution.unbiased(x.channels() / 2, Window.kernel(1)));
    return layers.averagePool(inner, Window.kernel(2).stride(2));
  }
}
