package dev.cotenant.datasets.named;

import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.zoo.ModelZoo;
import dev.cotenant.zoo.layers.InputShape;
import java.util.Map;
import java.util.TreeMap;

/** Amounts of networks of the model zoo. */
public final class ZooGraphs {
  private static final int IMAGE = 224;
  private static final int DIGIT = 28;
  private static final int FRAME = 300;

  private ZooGraphs() {}

  /** The models of the gpu-lets paper by the names of its authors [gpu-lets, table 4]. */
  public static Map<String, GraphWork> ofGpuLets() {
    Map<String, GraphWork> works = new TreeMap<>();
    works.put("lenet", work("lenet", DIGIT));
    works.put("googlenet", image("googlenet"));
    works.put("resnet50", image("resnet50"));
    works.put("ssd-mobilenetv1", work("ssd_mobilenet_v1", FRAME));
    works.put("vgg16", image("vgg16"));
    return works;
  }

  /** A network on images of 224 by 224 pixels. */
  public static GraphWork image(String network) {
    return work(network, IMAGE);
  }

  private static GraphWork work(String network, int pixels) {
    byte[] graph = ModelZoo.build(network, InputShape.Image.square(pixels));
    OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
    return GraphWork.of(
        new FeatureExtractor().extract(reader.read(graph, network), GraphBinding.NONE).model());
  }
}
