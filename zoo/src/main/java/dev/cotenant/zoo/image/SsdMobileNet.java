package dev.cotenant.zoo.image;

import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The single-shot detector [Liu et al., ECCV 2016] on MobileNet as qfgaohao/pytorch-ssd builds it:
 * 300×300 images, six feature maps, six boxes at each place, 21 classes.
 */
public final class SsdMobileNet {
  public static final int SIDE = 300;

  private static final int BOXES = 6;
  private static final int COORDINATES = 4;
  private static final int CLASSES = 21;

  /** The separable convolutions, from 0, whose results the first two predictors see. */
  private static final List<Integer> SOURCES = List.of(10, 12);

  /** Channels of the extra layers, before and after they halve the image. */
  private static final List<List<Integer>> EXTRAS =
      List.of(List.of(256, 512), List.of(128, 256), List.of(128, 256), List.of(128, 256));

  private SsdMobileNet() {}

  /** Class scores of all boxes; their coordinates are in the same tensor. */
  public static Tensor scores(ImageLayers layers, Tensor image) {
    List<Tensor> features = MobileNetV1.features(layers, image);
    List<Tensor> maps = new ArrayList<>();
    SOURCES.forEach(source -> maps.add(features.get(source)));
    for (List<Integer> extra : EXTRAS) {
      Window window = Window.kernel(3).same().stride(2);
      Tensor narrow =
          layers.convRelu(maps.getLast(), Convolution.biased(extra.getFirst(), Window.kernel(1)));
      maps.add(layers.convRelu(narrow, Convolution.biased(extra.getLast(), window)));
    }
    List<Tensor> predictions = new ArrayList<>();
    for (Tensor map : maps) {
      Window window = map.height() == 1 ? Window.kernel(1) : Window.kernel(3).same();
      for (int values : List.of(CLASSES, COORDINATES)) {
        Tensor boxes = layers.conv(map, Convolution.biased(BOXES * values, window));
        predictions.add(layers.flatten(boxes));
      }
    }
    return layers.concatVectors(predictions);
  }
}
