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
    add("vgg16", Vgg.of(Vgg.Size.VGG16));
    add("vgg19", Vgg.of(Vgg.Size.VGG19));
  }

  private void residual() {
    add("resnet18", ResNet.of(ResNet.Block.BASIC, 2, 2, 2, 2));
    add("resnet34", ResNet.of(ResNet.Block.BASIC, 3, 4, 6, 3));
    add("resnet50", ResNet.of(ResNet.Block.BOTTLENECK, 3, 4, 6, 3));
    add("resnet101", ResNet.of(ResNet.Block.BOTTLENECK, 3, 4, 23, 3));
    add("resnet152", ResNet.of(ResNet.Block.BOTTLENECK, 3, 8, 36, 3));
    add("convnext_tiny", new ConvNeXt(List.of(3, 3, 9, 3), 96));
  }

  private void dense() {
    for (DenseNet.Size size : DenseNet.Size.values()) {
      add(name(size), new DenseNet(size));
    }
  }

  private void mobile() {
    add("mobilenet_v1", new MobileNetV1());
    add("mobilenet_v2", new MobileNetV2());
    add("mobilenet_v3_small", MobileNetV3.SMALL);
    add("mnasnet1_0", new MnasNet());
    add("shufflenet_v2_x1_0", new ShuffleNetV2());
  }

  /** The sides are those that torchvision's weights were trained or are evaluated with. */
  private void efficient() {
    add("efficientnet_b0", new EfficientNet());
    add("efficientnet_v2_s", 384, new EfficientNetV2());
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
