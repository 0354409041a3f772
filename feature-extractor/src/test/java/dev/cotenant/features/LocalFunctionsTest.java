package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.GraphFeatures;
import org.junit.jupiter.api.Test;

/** Functions that a model defines itself. */
class LocalFunctionsTest {
  /** Names an overload [onnx.proto, NodeProto and FunctionProto]. */
  private static final int OF_NODE = 8;

  private static final int OF_FUNCTION = 13;

  /** A model whose functions of one name are one and two products of 4 × 4 matrices. */
  private static GraphFeatures calling(String overload) {
    byte[] model =
        OnnxBytes.model(
            graph ->
                graph
                    .input("x", 4, 4)
                    .node("f:products x -> y", n -> n.text(OF_NODE, overload))
                    .output("y"),
            functions ->
                functions
                    .function(
                        "f",
                        "products",
                        one ->
                            one.text(OF_FUNCTION, "one").functionNode("MatMul x,x -> y", n -> {}))
                    .function(
                        "f",
                        "products",
                        two ->
                            two.text(OF_FUNCTION, "two")
                                .functionNode("MatMul x,x -> m", n -> {})
                                .functionNode("MatMul m,x -> y", n -> {})));
    ModelGraph read = new OnnxGraphReader(ReaderLimits.DEFAULT).read(model, "test");
    return new FeatureExtractor().extract(read, GraphBinding.NONE);
  }

  @Test
  void callsTheOverloadThatANodeNames() {
    assertThat(calling("one").model().multiplyAccumulates()).isEqualTo(64);
    assertThat(calling("two").model().multiplyAccumulates()).isEqualTo(2 * 64);
  }

  @Test
  void knowsNoOverloadThatIsNotThere() {
    assertThat(calling("three").warnings())
        .anyMatch(line -> line.contains("f:products/three is not known"));
  }
}
