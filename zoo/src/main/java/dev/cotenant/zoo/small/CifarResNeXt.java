package dev.cotenant.zoo.small;

import dev.cotenant.zoo.image.ResNet;
import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;

/**
 * ResNeXt for 32×32 images as in kuangliu/pytorch-cifar, after [Xie et al., CVPR 2017, 5.3]: three
 * stages of bottlenecks that widen twice, without pooling.
 *
 * @param blocksInStage blocks in each stage; the depth is nine times this plus two
 * @param cardinality groups of the 3×3 convolutions
 * @param width channels of a group in the first stage
 */
public record CifarResNeXt(int blocksInStage, int cardinality, int width)
    implements Architecture.Classifier {
  private static final int STAGES = 3;
  private static final int STEM_CHANNELS = 64;
  private static final int EXPANSION = 2;
  private static final int CLASSES = 10;

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Tensor x = layers.convRelu(image, Convolution.normalized(STEM_CHANNELS, Window.kernel(1)));
    for (int stage = 0; stage < STAGES; stage++) {
      int channels = (cardinality * width) << stage;
      for (int index = 0; index < blocksInStage; index++) {
        x = block(layers, x, channels, stage > 0 && index == 0 ? 2 : 1);
      }
    }
    return layers.classify(x, CLASSES);
  }

  private Tensor block(ImageLayers layers, Tensor x, int channels, int stride) {
    Window window = Window.kernel(3).same().stride(stride);
    Convolution middle = new Convolution(channels, window, cardinality, Convolution.Bias.FOLDED);
    Tensor branch = ResNet.bottleneck(layers, x, middle, channels * EXPANSION);
    return ResNet.join(layers, x, branch, stride);
  }
}
