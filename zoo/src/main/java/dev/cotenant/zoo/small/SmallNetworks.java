package dev.cotenant.zoo.small;

import dev.cotenant.zoo.image.DenseNet;
import dev.cotenant.zoo.image.GoogLeNet;
import dev.cotenant.zoo.image.ImageNetworks;
import dev.cotenant.zoo.image.ResNet;
import dev.cotenant.zoo.image.ShuffleNetV2;
import dev.cotenant.zoo.image.Vgg;
import dev.cotenant.zoo.layers.Architecture;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Networks on 32×32 images of ten classes, as in kuangliu/pytorch-cifar, and smaller ones. */
public final class SmallNetworks {
  private static final int SIDE = 32;

  private final Map<String, Architecture> all = new HashMap<>();

  private SmallNetworks() {
    residual();
    others();
    all.put("lenet", Architecture.ofGreyImages(LeNet.SIDE, LeNet::scores));
    all.put("dcgan", Architecture.of(Dcgan.COLOUR::step));
    all.put("dcgan_generator", Architecture.of(Dcgan.COLOUR::generator));
    all.put("dcgan_discriminator", Architecture.of(Dcgan.COLOUR::discriminator));
    all.put("dcgan_mnist", Architecture.of(Dcgan.GREY::step));
  }

  public static Map<String, Architecture> all() {
    return new SmallNetworks().all;
  }

  private void residual() {
    add("resnet18_cifar", ResNet.cifar(ResNet.Block.BASIC, 2, 2, 2, 2));
    add("resnet18_bottleneck_cifar", ResNet.cifar(ResNet.Block.BOTTLENECK, 2, 2, 2, 2));
    add("resnet34_cifar", ResNet.cifar(ResNet.Block.BASIC, 3, 4, 6, 3));
    add("resnet50_cifar", ResNet.cifar(ResNet.Block.BOTTLENECK, 3, 4, 6, 3));
    add("resnext11_2x16d_cifar", new CifarResNeXt(1, 2, 16));
    add("resnext29_2x64d_cifar", new CifarResNeXt(3, 2, 64));
    add("resnext29_32x4d_cifar", new CifarResNeXt(3, 32, 4));
    add("dpn26_cifar", new DualPathNetwork(List.of(2, 2, 2, 2)));
    add("dpn92_cifar", new DualPathNetwork(List.of(3, 4, 20, 3)));
    for (DenseNet.Size size :
        List.of(DenseNet.Size.DENSENET121, DenseNet.Size.DENSENET161, DenseNet.Size.DENSENET169)) {
      add(ImageNetworks.name(size) + "_cifar", DenseNet.cifar(size));
    }
    for (int depth : List.of(66, 110)) {
      for (int widening : List.of(48, 84)) {
        add(
            "pyramidnet" + depth + "_a" + widening + "_cifar",
            new PyramidNet(depth, widening, ResNet.Block.BASIC));
      }
    }
    add("pyramidnet110_a270_cifar", new PyramidNet(110, 270, ResNet.Block.BASIC));
    add("pyramidnet272_a200_cifar", new PyramidNet(272, 200, ResNet.Block.BOTTLENECK));
  }

  private void others() {
    for (Vgg.Size size : List.of(Vgg.Size.VGG11, Vgg.Size.VGG16, Vgg.Size.VGG19)) {
      add(ImageNetworks.name(size) + "_cifar", Vgg.cifar(size));
    }
    add("googlenet_cifar", GoogLeNet::cifar);
    add("mobilenet_v2_cifar", CifarMobileNet.V2);
    add("mobilenet_v2_doubling_cifar", CifarMobileNet.DOUBLING);
    add("efficientnet_b0_cifar", CifarMobileNet.EFFICIENT);
    add("shufflenet_v2_x0_5_cifar", new ShuffleNetV2(List.of(48, 96, 192), 1024).cifar());
    add("shufflenet_v2_x1_0_cifar", new ShuffleNetV2(List.of(116, 232, 464), 1024).cifar());
    add("shufflenet_v2_x2_0_cifar", new ShuffleNetV2(List.of(224, 488, 976), 2048).cifar());
  }

  private void add(String name, Architecture.Classifier classifier) {
    all.put(name, Architecture.ofImages(SIDE, classifier));
  }
}
