package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.EagerExecution;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class EagerExecutionTest {
  private static EagerExecution eager(Consumer<OnnxBytes> content, int batch) {
    ModelGraph graph =
        new OnnxGraphReader(ReaderLimits.DEFAULT).read(OnnxBytes.model(content), "test");
    return new FeatureExtractor()
        .extract(graph, new GraphBinding(batch, java.util.Map.of()))
        .model()
        .eager();
  }

  /** 3·8·8 inputs, 4·8·8 outputs of 3×3 filters. */
  private static OnnxBytes convolution(OnnxBytes graph, String weight) {
    return graph
        .input("x", 1, 3, 8, 8)
        .weight(weight, 4, 3, 3, 3)
        .weight("b", 4)
        .node("Conv x," + weight + ",b -> c", n -> n.attribute("pads", new long[] {1, 1, 1, 1}))
        .node("Relu c -> y")
        .output("y");
  }

  @Test
  void countsWhatEachOperatorReadsAndWrites() {
    EagerExecution eager = eager(graph -> convolution(graph, "w"), 1);
    assertThat(eager.operators()).isEqualTo(2);
    assertThat(eager.moved().bytes()).isEqualTo(4 * (192 + 256 + 256 + 256));
    assertThat(eager.matrixOutputs()).isEqualTo(256);
    assertThat(eager.winogradMacs()).isEqualTo(256 * 27);
  }

  @Test
  void countsNormalisationsThatAnExporterFolded() {
    EagerExecution eager = eager(graph -> convolution(graph, "onnx::Conv_17"), 1);
    assertThat(eager.operators()).isEqualTo(3);
    assertThat(eager.moved().bytes()).isEqualTo(4 * (192 + 256 + 2 * 256 + 256 + 256));
  }

  @Test
  void countsNoInnerTensorOfAnActivationOfSeveralNodes() {
    EagerExecution eager =
        eager(
            graph ->
                graph.input("x", 1, 64).node("Sigmoid x -> s").node("Mul x,s -> y").output("y"),
            1);
    assertThat(eager.operators()).isEqualTo(1);
    assertThat(eager.moved().bytes()).isEqualTo(4 * (64 + 64));
  }

  @Test
  void countsTheTimeStepsOfARecurrentLayer() {
    EagerExecution eager =
        eager(
            graph ->
                graph
                    .input("x", 128, 2, 16)
                    .weight("w", 2, 32, 16)
                    .weight("r", 2, 32, 8)
                    .node("LSTM x,w,r -> y", n -> n.attribute("direction", "bidirectional"))
                    .node("Relu y -> z")
                    .output("z"),
            2);

    assertThat(eager.operators()).isEqualTo(2);
    assertThat(eager.timeSteps()).isEqualTo(2 * 128);
  }

  @Test
  void countsOperatorsOnceWhateverTheBatch() {
    EagerExecution one = eager(graph -> convolution(graph, "w"), 1);
    EagerExecution eight = eager(graph -> convolution(graph, "w"), 8);
    assertThat(eight.operators()).isEqualTo(one.operators());
    assertThat(eight.moved().bytes()).isEqualTo(8 * one.moved().bytes());
    assertThat(eight.matrixOutputs()).isEqualTo(8 * one.matrixOutputs());
  }
}
