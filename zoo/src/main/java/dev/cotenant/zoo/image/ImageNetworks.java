package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Architecture;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Networks on images of the size that ImageNet is trained with, named as in torchvision. */
public final class ImageNetworks {
  private static final int SIDE = 224;
  private static final int INCEPTION_SIDE = 299;

  private final Map<String, Architecture> all = new HashMap<>();

  private ImageNetworks() {
    plain();
    residual();
    dense();
    mobile();
    efficient();
    detectors();
  }

  public static Map<String, Architecture> all() {
    return new ImageNetworks().all;
  }

  private void plain() {
    add("alexnet", new AlexNet());
    add("googlenet", new GoogLeNet());
    add("inception_v3", INCEPTION_SIDE, new InceptionV3());
    add("xception", INCEPTION_SIDE, new Xception());
    add("squeezenet1_0", SqueezeNet.V1_0);
    add("squeezenet1_1", SqueezeNet.V1_1);
    for (Vgg.Size size : Vgg.Size.values()) {
      add(name(size), Vgg.plain(size));
      add(name(size) + "_bn", Vgg.normalized(size));
    }
  }

  private void residual() {
    add("resnet18", ResNet.of(ResNet.Block.BASIC, 2, 2, 2, 2));
    add("resnet34", ResNet.of(ResNet.Block.BASIC, 3, 4, 6, 3));
    add("resnet50", ResNet.of(ResNet.Block.BOTTLENECK, 3, 4, 6, 3));
    add("resnet101", ResNet.of(ResNet.Block.BOTTLENECK, 3, 4, 23, 3));
    add("resnet152", ResNet.of(ResNet.Block.BOTTLENECK, 3, 8, 36, 3));
    add("resnext50_32x4d", ResNet.grouped(32, 4, 3, 4, 6, 3));
    add("resnext101_32x8d", ResNet.grouped(32, 8, 3, 4, 23, 3));
    add("wide_resnet50_2", ResNet.grouped(1, 128, 3, 4, 6, 3));
    add("wide_resnet101_2", ResNet.grouped(1, 128, 3, 4, 23, 3));
    add("convnext_tiny", new ConvNeXt(List.of(3, 3, 9, 3), 96));
    add("convnext_small", new ConvNeXt(List.of(3, 3, 27, 3), 96));
    add("convnext_base", new ConvNeXt(List.of(3, 3, 27, 3), 128));
  }

  private void dense() {
    for (DenseNet.Size size : DenseNet.Size.values()) {
      add(name(size), new DenseNet(size));
    }
  }

  private void mobile() {
    add("mobilenet_v1", new MobileNetV1());
    add("mobilenet_v2", new MobileNetV2(1));
    add("mobilenet_v3_small", MobileNetV3.SMALL);
    add("mobilenet_v3_large", MobileNetV3.LARGE);
    add("mnasnet0_5", new MnasNet(0.5));
    add("mnasnet0_75", new MnasNet(0.75));
    add("mnasnet1_0", new MnasNet(1));
    add("mnasnet1_3", new MnasNet(1.3));
    add("shufflenet_v2_x0_5", new ShuffleNetV2(List.of(48, 96, 192), 1024));
    add("shufflenet_v2_x1_0", new ShuffleNetV2(List.of(116, 232, 464), 1024));
    add("shufflenet_v2_x1_5", new ShuffleNetV2(List.of(176, 352, 704), 1024));
    add("shufflenet_v2_x2_0", new ShuffleNetV2(List.of(244, 488, 976), 2048));
  }

  /** The sides are those that torchvision's weights were trained or are evaluated with. */
  private void efficient() {
    add("efficientnet_b0", new EfficientNet(1, 1));
    add("efficientnet_b1", 240, new EfficientNet(1, 1.1));
    add("efficientnet_b2", 288, new EfficientNet(1.1, 1.2));
    add("efficientnet_b3", 300, new EfficientNet(1.2, 1.4));
    add("efficientnet_b4", 380, new EfficientNet(1.4, 1.8));
    add("efficientnet_b5", 456, new EfficientNet(1.6, 2.2));
    add("efficientnet_b6", 528, new EfficientNet(1.8, 2.6));
    add("efficientnet_b7", 600, new EfficientNet(2.0, 3.1));
    add("efficientnet_v2_s", 384, EfficientNetV2.SMALL);
    add("efficientnet_v2_m", 480, EfficientNetV2.MEDIUM);
    add("efficientnet_v2_l", 480, EfficientNetV2.LARGE);
  }

  private void detectors() {
    add("ssd_mobilenet_v1", SsdMobileNet.SIDE, SsdMobileNet::scores);
    add("unet_resnet34", UNet.SIDE, UNet::scores);
  }

  /** As torchvision calls it. */
  public static String name(Enum<?> size) {
    return size.name().toLowerCase(Locale.ROOT);
  }

  private void add(String name, Architecture.Classifier classifier) {
    add(name, SIDE, classifier);
  }

  private void add(String name, int side, Architecture.Classifier classifier) {
    all.put(name, Architecture.ofImages(side, classifier));
  }
}
