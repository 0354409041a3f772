package dev.cotenant.datasets.zoo;

import java.util.List;

/**
 * YOLOv5s as released with version 6 [Jocher et al., ultralytics/yolov5, {@code yolov5s.yaml}]: 640
 * pixels, three maps of predictions for 80 classes.
 */
final class YoloV5 {
  static final int SIDE = 640;

  /** Three boxes at each place, with four coordinates, one confidence and 80 classes. */
  private static final int PREDICTIONS = 3 * (4 + 1 + 80);

  private YoloV5() {}

  /** The predictions of all maps, one vector. */
  static Tensor predictions(ImageLayers layers, Tensor image) {
    Tensor x = conv(layers, image, 32, Window.kernel(6).stride(2).padding(2));
    x = crossStage(layers, halved(layers, x, 64), 64, Shortcuts.of(1));
    Tensor eighth = crossStage(layers, halved(layers, x, 128), 128, Shortcuts.of(2));
    Tensor sixteenth = crossStage(layers, halved(layers, eighth, 256), 256, Shortcuts.of(3));
    x = crossStage(layers, halved(layers, sixteenth, 512), 512, Shortcuts.of(1));
    Tensor top = conv(layers, pooledPyramid(layers, x), 256, Window.kernel(1));
    Tensor middle = joined(layers, layers.upsample(top), sixteenth, 256);
    middle = conv(layers, middle, 128, Window.kernel(1));
    Tensor fine = joined(layers, layers.upsample(middle), eighth, 128);
    Tensor coarse = joined(layers, halved(layers, fine, 128), middle, 256);
    Tensor coarsest = joined(layers, halved(layers, coarse, 256), top, 512);
    List<Tensor> maps = List.of(fine, coarse, coarsest);
    return layers.concatVectors(
        maps.stream()
            .map(map ->
                layers.flatten(layers.conv(map, Convolution.biased(PREDICTIONS, Window.kernel(1)))))
            .toList());
  }

  /** Bottlenecks in a cross-stage block, and whether they add their input. */
  private record Shortcuts(int bottlenecks, Kind kind) {
    private enum Kind {
      ADDED,
      NONE
    }

    private static Shortcuts of(int bottlenecks) {
      return new Shortcuts(bottlenecks, Kind.ADDED);
    }

    private static final Shortcuts ABSENT = new Shortcuts(1, Kind.NONE);
  }

  private static Tensor joined(ImageLayers layers, Tensor x, Tensor other, int channels) {
    return crossStage(layers, layers.concat(List.of(x, other)), channels, Shortcuts.ABSENT);
  }

  /** Half of the channels pass bottlenecks, half do not [CSPNet, 3]. */
  private static Tensor crossStage(
      ImageLayers layers, Tensor x, int channels, Shortcuts shortcuts) {
    int half = channels / 2;
    Tensor inner = conv(layers, x, half, Window.kernel(1));
    for (int index = 0; index < shortcuts.bottlenecks(); index++) {
      Tensor narrow = conv(layers, inner, half, Window.kernel(1));
      Tensor wide = conv(layers, narrow, half, Window.kernel(3).same());
      inner = shortcuts.kind() == Shortcuts.Kind.ADDED ? layers.add(inner, wide) : wide;
    }
    Tensor direct = conv(layers, x, half, Window.kernel(1));
    return conv(layers, layers.concat(List.of(inner, direct)), channels, Window.kernel(1));
  }

  /** Pools three times over and keeps every result [SPPF]. */
  private static Tensor pooledPyramid(ImageLayers layers, Tensor x) {
    Window pool = Window.kernel(5).same();
    Tensor first = conv(layers, x, x.channels() / 2, Window.kernel(1));
    Tensor second = layers.maxPool(first, pool);
    Tensor third = layers.maxPool(second, pool);
    List<Tensor> all = List.of(first, second, third, layers.maxPool(third, pool));
    return conv(layers, layers.concat(all), x.channels(), Window.kernel(1));
  }

  private static Tensor halved(ImageLayers layers, Tensor x, int channels) {
    return conv(layers, x, channels, Window.kernel(3).same().stride(2));
  }

  private static Tensor conv(ImageLayers layers, Tensor x, int channels, Window window) {
    return layers.conv(x, Convolution.normalized(channels, window), Activation.SILU);
  }
}
