package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.GraphFeatures;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A weight is a weight however the exporter wrapped it. */
class ConstantWeightsTest {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);

  private static GraphFeatures extract(GraphBinding binding, Consumer<OnnxBytes> content) {
    return new FeatureExtractor().extract(READER.read(OnnxBytes.model(content), "test"), binding);
  }

  /** Every chain makes a weight v of 8 × 3 of what is stored; steps are divided by semicolons. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Identity plain -> v",
        "Cast plain -> v",
        "Transpose turned -> v",
        "DequantizeLinear plain,scale -> v",
        "DequantizeLinear plain,scale -> d;Cast d -> c;Identity c -> v",
        "QuantizeLinear plain,scale -> q;DequantizeLinear q,scale -> v",
        "Reshape flat,shape -> v",
        "Unsqueeze flat,zero -> u;Reshape u,shape -> v",
        "Squeeze deep,zero -> v",
        "Concat left,right -> v",
        "Mul plain,scale -> v",
        "Slice long,zero,eight -> v",
        "ConstantOfShape shape -> v",
        "Expand scale,shape -> v",
        "com.microsoft:DequantizeLinear plain,scale -> v"
      })
  void countsAProductWithADerivedWeightAsLinear(String chain) {
    GraphFeatures features =
        extract(
            GraphBinding.NONE,
            graph -> {
              graph
                  .input("x", 2, 8)
                  .weight("plain", 8, 3)
                  .weight("turned", 3, 8)
                  .weight("flat", 24)
                  .weight("deep", 1, 8, 3)
                  .weight("left", 8, 1)
                  .weight("right", 8, 2)
                  .weight("long", 10, 3)
                  .weight("scale")
                  .numbers("shape", 8, 3)
                  .numbers("zero", 0)
                  .numbers("eight", 8);
              for (String step : chain.split(";", -1)) {
                graph.node(step, n -> n.attribute("to", 1));
              }
              graph.node("MatMul x,v -> y").output("y");
            });
    assertThat(features.model().layers().linear()).isEqualTo(1);
    assertThat(features.model().multiplyAccumulates()).isEqualTo(2 * 8 * 3);
    assertThat(features.shapeCoverage()).isEqualTo(1.0);
  }

  @Test
  void countsAProductOfTwoComputedTensorsAsNoLayer() {
    GraphFeatures features =
        extract(
            GraphBinding.NONE,
            graph ->
                graph
                    .input("x", 2, 8)
                    .input("z", 8, 3)
                    .node("Cast z -> v", n -> n.attribute("to", 1))
                    .node("MatMul x,v -> y")
                    .output("y"));
    assertThat(features.model().layers().linear()).isZero();
  }

  @Test
  void findsTheBatchOfARecurrentLayerWhoseLayoutIsSpelledOut() {
    // Layout 0 is (steps, batch, features): 5 steps of 2 samples, so one of 6 samples costs thrice.
    for (int layout : new int[] {0, 1}) {
      Consumer<OnnxBytes> graph =
          content ->
              content
                  .input("x", layout == 0 ? 5 : 2, layout == 0 ? 2 : 5, 3)
                  .weight("w", 1, 16, 3)
                  .weight("r", 1, 16, 4)
                  .node("LSTM x,w,r -> y", n -> n.attribute("layout", layout))
                  .output("y");
      assertThat(extract(new GraphBinding(6, Map.of()), graph).model().multiplyAccumulates())
          .as("layout %d", layout)
          .isEqualTo(5 * 6 * (16 * 3 + 16 * 4));
    }
  }
}
