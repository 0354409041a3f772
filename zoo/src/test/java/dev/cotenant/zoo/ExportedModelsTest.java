package dev.cotenant.zoo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares zoo graphs with the files that PyTorch exported of the same networks. */
class ExportedModelsTest {
  private static final List<String> LAYERS =
      List.of("Conv", "Gemm", "Relu", "Clip", "Sigmoid", "MaxPool", "GlobalAveragePool", "Concat");

  /**
   * The exports are of freshly initialised networks, whose biases of one length are all zeros: the
   * exporter stores such equal tensors once and copies them by Identity. A trained network has no
   * equal biases, so the zoo declares each, and the difference is exactly what the copies hold.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "densenet121",
        "efficientnet_b0",
        "efficientnet_v2_s",
        "googlenet",
        "mnasnet1_0",
        "mobilenet_v2",
        "resnet18",
        "resnet34",
        "resnet50",
        "shufflenet_v2_x1_0",
        "vgg16",
        "vgg19",
      })
  void hasTheLayersAndCostsOfTheExport(String name) throws IOException {
    String[] published = oracle(name);
    Path file = OutsideData.require("models/torchvision/" + name + ".b1.onnx");
    ReadMessage export = ReadMessage.parse(ByteBuffer.wrap(Files.readAllBytes(file))).message(7);
    CountedGraph zoo = new CountedGraph(ModelZoo.build(name));

    assertThat(BigDecimal.valueOf(zoo.multiplyAccumulates(), 9)).isEqualByComparingTo(published[2]);
    assertThat(BigDecimal.valueOf(zoo.parameters() - copied(export), 6))
        .isEqualByComparingTo(published[3]);
    for (String layer : LAYERS) {
      assertThat(zoo.count(layer)).as(layer).isEqualTo(count(export, layer));
    }
  }

  private static String[] oracle(String name) throws IOException {
    return Files.readAllLines(OutsideData.require("models/flops_oracle.csv")).stream()
        .map(line -> line.split(",", -1))
        .filter(cells -> cells[0].equals(name) && cells[1].equals("exact-from-exported-onnx"))
        .findFirst()
        .orElseThrow();
  }

  private static long count(ReadMessage graph, String operator) {
    return graph.messages(1).stream().filter(node -> node.text(4).equals(operator)).count();
  }

  /** Elements of the weights that are used a second time under another name. */
  private static long copied(ReadMessage graph) {
    Map<String, Long> elements = new HashMap<>();
    for (ReadMessage tensor : graph.messages(5)) {
      elements.put(tensor.text(8), tensor.integers(1).stream().reduce(1L, Math::multiplyExact));
    }
    return graph.messages(1).stream()
        .filter(node -> node.text(4).equals("Identity"))
        .mapToLong(node -> elements.getOrDefault(node.text(1), 0L))
        .sum();
  }
}
