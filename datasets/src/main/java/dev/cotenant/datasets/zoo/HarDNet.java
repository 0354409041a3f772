package dev.cotenant.datasets.zoo;

import java.util.ArrayList;
import java.util.List;

/**
 * HarDNet-68 [Chao et al., ICCV 2019, Table 1]: dense blocks where layer k sees the layers k − 2^n
 * for every power of two that divides k, and is wider the more powers do.
 */
final class HarDNet implements Architecture.Classifier {
  private static final double WIDENING = 1.7;
  private static final int CLASSES = 1000;
  private static final Window SMALL = Window.kernel(3).same();

  /**
   * A dense block.
   *
   * @param growth channels of a layer that no power but the first divides
   * @param layers how many
   * @param channels of the 1×1 convolution that follows
   * @param end what follows that
   */
  private record Block(int growth, int layers, int channels, End end) {}

  private enum End {
    POOLED,
    KEPT
  }

  private static final List<Block> BLOCKS =
      List.of(
          new Block(14, 8, 128, End.POOLED),
          new Block(16, 16, 256, End.KEPT),
          new Block(20, 16, 320, End.POOLED),
          new Block(40, 16, 640, End.POOLED),
          new Block(160, 4, 1024, End.KEPT));

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = conv(layers, image, 32, SMALL.stride(2));
    x = conv(layers, x, 64, SMALL);
    x = layers.maxPool(x, SMALL.stride(2).padding(1));
    for (Block block : BLOCKS) {
      x = conv(layers, dense(layers, x, block), block.channels(), Window.kernel(1));
      if (block.end() == End.POOLED) {
        x = layers.maxPool(x, Window.kernel(2).stride(2));
      }
    }
    return layers.classify(x, CLASSES);
  }

  /** The last layer and every odd one go on. */
  private static Tensor dense(ImageLayers layers, Tensor x, Block block) {
    List<Tensor> results = new ArrayList<>(List.of(x));
    for (int layer = 1; layer <= block.layers(); layer++) {
      List<Tensor> seen = new ArrayList<>();
      for (int power = 1; layer % power == 0; power *= 2) {
        seen.add(results.get(layer - power));
      }
      Tensor input = seen.size() == 1 ? seen.getFirst() : layers.concat(seen);
      results.add(conv(layers, input, width(block.growth(), seen.size() - 1), SMALL));
    }
    List<Tensor> kept = new ArrayList<>();
    for (int layer = 1; layer <= block.layers(); layer++) {
      if (layer % 2 == 1 || layer == block.layers()) {
        kept.add(results.get(layer));
      }
    }
    return layers.concat(kept);
  }

  /** The growth, widened for each power, rounded to an even number. */
  private static int width(int growth, int powers) {
    double width = growth * Math.pow(WIDENING, powers);
    return (int) (width + 1) / 2 * 2;
  }

  private static Tensor conv(ImageLayers layers, Tensor x, int channels, Window window) {
    return layers.conv(x, Convolution.normalized(channels, window), Activation.RELU6);
  }
}
