package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * GoogLeNet [Szegedy et al., CVPR 2015, Table 1] with batch normalisation and without the auxiliary
 * classifiers; like torchvision's, its third branch has a 3×3 kernel where the paper has 5×5.
 */
public final class GoogLeNet implements Architecture.Classifier {
  /** Channels of an inception module's 1×1, 3×3 (reduced to first), third and pooling branches. */
  private record Module(int direct, Branch middle, Branch third, int pooled) {
    Module(int direct, List<Integer> middle, List<Integer> third, int pooled) {
      this(
          direct,
          new Branch(middle.getFirst(), middle.getLast()),
          new Branch(third.getFirst(), third.getLast()),
          pooled);
    }
  }

  private record Branch(int reduced, int channels) {}

  private static final List<Module> AT_28 =
      List.of(
          new Module(64, List.of(96, 128), List.of(16, 32), 32),
          new Module(128, List.of(128, 192), List.of(32, 96), 64));
  private static final List<Module> AT_14 =
      List.of(
          new Module(192, List.of(96, 208), List.of(16, 48), 64),
          new Module(160, List.of(112, 224), List.of(24, 64), 64),
          new Module(128, List.of(128, 256), List.of(24, 64), 64),
          new Module(112, List.of(144, 288), List.of(32, 64), 64),
          new Module(256, List.of(160, 320), List.of(32, 128), 128));
  private static final List<Module> AT_7 =
      List.of(
          new Module(256, List.of(160, 320), List.of(32, 128), 128),
          new Module(384, List.of(192, 384), List.of(48, 128), 128));

  @Override
  public Tensor scores(ImageLayers layers, Tensor image) {
    Window pool = Window.kernel(3).stride(2);
    Window stem = Window.kernel(7).stride(2).padding(3);
    Tensor x = layers.convRelu(image, Convolution.normalized(64, stem));
    x = layers.maxPoolRoundedUp(x, pool);
    x = layers.convRelu(x, Convolution.normalized(64, Window.kernel(1)));
    x = layers.convRelu(x, Convolution.normalized(192, Window.kernel(3).same()));
    x = inceptions(layers, layers.maxPoolRoundedUp(x, pool), AT_28);
    x = inceptions(layers, layers.maxPoolRoundedUp(x, pool), AT_14);
    x = layers.maxPoolRoundedUp(x, Window.kernel(2).stride(2));
    x = inceptions(layers, x, AT_7);
    return layers.linear(layers.flatten(layers.globalAveragePool(x)), 1000);
  }

  private static Tensor inceptions(ImageLayers layers, Tensor x, List<Module> modules) {
    Tensor result = x;
    for (Module module : modules) {
      result = inception(layers, result, module);
    }
    return result;
  }

  private static Tensor inception(ImageLayers layers, Tensor x, Module module) {
    Tensor third = reduced(layers, x, module.third());
    Tensor direct = layers.convRelu(x, Convolution.normalized(module.direct(), Window.kernel(1)));
    Tensor middle = reduced(layers, x, module.middle());
    Tensor pooled = layers.maxPoolRoundedUp(x, Window.kernel(3).same());
    pooled = layers.convRelu(pooled, Convolution.normalized(module.pooled(), Window.kernel(1)));
    return layers.concat(List.of(direct, middle, third, pooled));
  }

  private static Tensor reduced(ImageLayers layers, Tensor x, Branch branch) {
    Tensor narrow = layers.convRelu(x, Convolution.normalized(branch.reduced(), Window.kernel(1)));
    return layers.convRelu(
        narrow, Convolution.normalized(branch.channels(), Window.kernel(3).same()));
  }
}
