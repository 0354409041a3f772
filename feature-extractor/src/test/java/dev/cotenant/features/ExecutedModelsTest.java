package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Real models with their weights, from Maven Central: every shape that is derived is the one that
 * ONNX Runtime produces, and the multiply-accumulates are those of the executed shapes.
 */
class ExecutedModelsTest {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = ExecutedModelsTest.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  @Test
  void agreesOnAQuantisedSentenceEncoder() throws IOException, OrtException {
    assertThat(checkEncoder("/all-minilm-l6-v2-q.onnx", 1, 128)).isEqualTo(1_434_451_968L);
    checkEncoder("/all-minilm-l6-v2-q.onnx", 3, 17);
  }

  @Test
  void agreesOnASentenceEncoderOfTwelveLayers() throws IOException, OrtException {
    // 12 layers of 384: 4·384²·s + 2·384·1536·s + 2·s²·384, at s = 128; nothing pooled.
    long layer = 4L * 384 * 384 * 128 + 2L * 384 * 1536 * 128 + 2L * 128 * 128 * 384;
    assertThat(checkEncoder("/bge-small-en-v1.5-q.onnx", 1, 128)).isEqualTo(12 * layer);
    checkEncoder("/bge-small-en-v1.5-q.onnx", 2, 31);
  }

  @Test
  void agreesOnTextDetectors() throws IOException, OrtException {
    assertThat(checkImage("/models/ch_PP-OCRv4_det_infer.onnx", 1, 640, 640))
        .isEqualTo(2_301_935_744L);
    checkImage("/models/ch_PP-OCRv4_det_infer.onnx", 2, 320, 96);
    checkImage("/models/ch_PP-OCRv3_det_infer.onnx", 1, 320, 480);
  }

  @Test
  void agreesOnTextRecognisers() throws IOException, OrtException {
    checkImage("/models/ch_PP-OCRv3_rec_infer.onnx", 1, 48, 320);
    checkImage("/models/ch_PP-OCRv3_rec_infer.onnx", 3, 48, 100);
    checkImage("/models/ch_PP-OCRv4_rec_infer.onnx", 1, 48, 320);
    checkImage("/models/ch_PP-OCRv4_rec_infer.onnx", 2, 48, 200);
  }

  @Test
  void agreesOnAnOrientationClassifier() throws IOException, OrtException {
    checkImage("/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", 1, 48, 192);
    checkImage("/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", 4, 48, 192);
  }

  private static long checkEncoder(String name, int batch, int sequence)
      throws IOException, OrtException {
    return check(resource(name), name, batch, sequence);
  }

  private static long checkImage(String name, int batch, int height, int width)
      throws IOException, OrtException {
    return check(resource(name), name, batch, 3, height, width);
  }

  /** Compares at the same extents of every input; returns the multiply-accumulates. */
  private static long check(byte[] content, String name, int... extents) throws OrtException {
    ModelGraph model = READER.read(content, name);
    Graph graph = model.graph();
    Map<String, long[]> wanted = new HashMap<>();
    Map<String, Integer> dimensions = new HashMap<>();
    for (var input : graph.inputs()) {
      String value = graph.valueName(input.value());
      var declared = Objects.requireNonNull(input.dimensions());
      if (graph.isStored(input.value())) {
        continue;
      }
      wanted.put(value, Arrays.stream(extents).asLongStream().toArray());
      for (int i = 0; i < declared.size(); i++) {
        if (!declared.get(i).isFixed()) {
          dimensions.put(value + "." + i, extents[i]);
        }
      }
    }
    Map<String, long[]> executed = ExecutedShapes.of(content, wanted);
    Map<String, Shape> derived = DerivedShapes.of(model, dimensions);
    int compared = 0;
    for (Map.Entry<String, long[]> each : executed.entrySet()) {
      assertThat(derived.get(each.getKey()))
          .as("%s of %s", each.getKey(), name)
          .isNotNull()
          .extracting(Shape::extents)
          .isEqualTo(each.getValue());
      compared++;
    }
    assertThat(compared).isGreaterThan(50);
    GraphFeatures features = EXTRACTOR.extract(model, new GraphBinding(null, dimensions));
    assertThat(features.shapeCoverage()).isEqualTo(1.0);
    assertThat(features.model().multiplyAccumulates()).isEqualTo(executedMacs(graph, executed));
    System.out.println(
        name + " at " + Arrays.toString(extents) + ": " + compared + " shapes as executed");
    return features.model().multiplyAccumulates();
  }

  /** Independent of the rules: from what ONNX Runtime produced and what the file stores. */
  private static long executedMacs(Graph graph, Map<String, long[]> executed) {
    long sum = 0;
    for (Node node : graph.nodes()) {
      sum +=
          switch (node.operator()) {
            case "Conv", "ConvInteger" -> {
              long[] weight = shape(graph, node.input(1), executed);
              yield product(shape(graph, node.output(0), executed)) * product(weight) / weight[0];
            }
            case "ConvTranspose" -> {
              long[] weight = shape(graph, node.input(1), executed);
              yield product(shape(graph, node.input(0), executed)) * product(weight) / weight[0];
            }
            case "MatMul", "MatMulInteger" -> {
              long[] left = shape(graph, node.input(0), executed);
              yield product(shape(graph, node.output(0), executed)) * left[left.length - 1];
            }
            case "Gemm" -> {
              long[] left = shape(graph, node.input(0), executed);
              long[] output = shape(graph, node.output(0), executed);
              yield product(left) / output[0] * product(output);
            }
            default -> 0;
          };
    }
    return sum;
  }

  private static long[] shape(Graph graph, int value, Map<String, long[]> executed) {
    assertThat(value).isNotEqualTo(InternedNames.NONE);
    String name = graph.valueName(value);
    if (executed.containsKey(name)) {
      return executed.get(name);
    }
    if (graph.initializers().containsKey(value)) {
      return graph.initializers().get(value).extents();
    }
    for (Node node : graph.nodes()) {
      if (node.operator().equals("Constant") && node.output(0) == value) {
        return Objects.requireNonNull(node.attributes().find("value")).tensor().extents();
      }
    }
    throw new AssertionError("nothing gives " + name);
  }

  private static long product(long[] extents) {
    return Arrays.stream(extents).reduce(1, Math::multiplyExact);
  }
}
