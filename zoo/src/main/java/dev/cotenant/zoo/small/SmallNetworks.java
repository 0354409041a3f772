package dev.cotenant.zoo.small;

import dev.cotenant.zoo.image.ResNet;
import dev.cotenant.zoo.image.Vgg;
import dev.cotenant.zoo.layers.Architecture;
import java.util.HashMap;
import java.util.Map;

/** Networks on 32×32 images of ten classes, as in kuangliu/pytorch-cifar, and smaller ones. */
public final class SmallNetworks {
  private static final int SIDE = 32;

  private final Map<String, Architecture> all = new HashMap<>();

  private SmallNetworks() {
    images();
    all.put("lenet", Architecture.ofGreyImages(LeNet.SIDE, LeNet::scores));
    all.put("dcgan", Architecture.of(Dcgan.COLOUR::step));
    all.put("dcgan_mnist", Architecture.of(Dcgan.GREY::step));
  }

  public static Map<String, Architecture> all() {
    return new SmallNetworks().all;
  }

  private void images() {
    add("resnet18_cifar", ResNet.cifar(ResNet.Block.BASIC, 2, 2, 2, 2));
    add("vgg11_cifar", Vgg.cifar(Vgg.Size.VGG11));
    add("mobilenet_v2_cifar", CifarMobileNet.V2);
    add("efficientnet_b0_cifar", CifarMobileNet.EFFICIENT);
  }

  private void add(String name, Architecture.Classifier classifier) {
    all.put(name, Architecture.ofImages(SIDE, classifier));
  }
}
