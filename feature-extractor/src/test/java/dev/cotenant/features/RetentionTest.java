package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.BackwardMemory;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The loss counts the 4-byte answers of every graph four times. */
class RetentionTest {
  private static BackwardMemory saved(Consumer<OnnxBytes> content) {
    ModelGraph graph =
        new OnnxGraphReader(ReaderLimits.DEFAULT).read(OnnxBytes.model(content), "test");
    return new FeatureExtractor().extract(graph, GraphBinding.NONE).model().backward();
  }

  /** 3·8·8 inputs, 4·8·8 outputs of 3×3 filters, 2 answers. */
  private static OnnxBytes convolution(OnnxBytes graph) {
    return graph
        .input("x", 1, 3, 8, 8)
        .weight("w", 4, 3, 3, 3)
        .weight("v", 4, 2)
        .node("Conv x,w -> c", n -> n.attribute("pads", new long[] {1, 1, 1, 1}))
        .output("y");
  }

  private static OnnxBytes answers(OnnxBytes graph) {
    return graph.node("GlobalAveragePool a -> p").node("Flatten p -> f").node("MatMul f,v -> y");
  }

  @Test
  void keepsWhatAConvolutionReadsAndWhatAReluAnswers() {
    BackwardMemory backward = saved(graph -> answers(convolution(graph).node("Relu c -> a")));
    // input of the convolution, output of the ReLU, the 4 averages, the answers; not the output of
    // the convolution
    assertThat(backward.saved().bytes()).isEqualTo(4 * (192 + 256 + 4 + 4 * 2));
    assertThat(backward.convolution().bytes()).isEqualTo(4 * (192 + 256));
  }

  @Test
  void keepsWhatASmoothActivationReads() {
    BackwardMemory backward =
        saved(graph -> answers(convolution(graph).node("Sigmoid c -> s").node("Mul c,s -> a")));
    // of SiLU's three tensors only the first; nothing reads the last but an average
    assertThat(backward.saved().bytes()).isEqualTo(4 * (192 + 256 + 4 + 4 * 2));
  }

  @Test
  void keepsNothingOfASumAndTheFactorsOfAProduct() {
    BackwardMemory sum = saved(graph -> answers(convolution(graph).node("Add c,c -> a")));
    assertThat(sum.saved().bytes()).isEqualTo(4 * (192 + 4 + 4 * 2));
    BackwardMemory product = saved(graph -> answers(convolution(graph).node("Mul c,c -> a")));
    assertThat(product.saved().bytes()).isEqualTo(4 * (192 + 256 + 4 + 4 * 2));
  }

  /** Of x² the slope is 2x, of a clamp whether it was within. */
  @Test
  void keepsTheBaseOfAPowerAndWhatIsClamped() {
    for (String node : List.of("Pow c,k -> a", "Max c,k -> a")) {
      BackwardMemory backward = saved(graph -> answers(convolution(graph).weight("k").node(node)));
      assertThat(backward.saved().bytes()).as(node).isEqualTo(4 * (192 + 256 + 4 + 4 * 2));
    }
    BackwardMemory scaled =
        saved(graph -> answers(convolution(graph).weight("k").node("Mul c,k -> a")));
    assertThat(scaled.saved().bytes()).isEqualTo(4 * (192 + 4 + 4 * 2));
  }

  @Test
  void keepsTheInputOfANormalizationThatTheExporterFolded() {
    BackwardMemory backward =
        saved(graph ->
            graph
                .input("x", 1, 3, 8, 8)
                .weight("onnx::Conv_7", 4, 3, 1, 1)
                .weight("onnx::Conv_8", 4)
                .node("Conv x,onnx::Conv_7,onnx::Conv_8 -> c")
                .node("Relu c -> y")
                .output("y"));
    // input, what the normalisation reads, the ReLU's answer; 1×1 filters need no workspace
    assertThat(backward.saved().bytes()).isEqualTo(4 * (192 + 256 + 256 + 4 * 256));
    assertThat(backward.convolution().bytes()).isZero();
  }

  @Test
  void keepsWhereMaximaWere() {
    BackwardMemory backward =
        saved(graph ->
            graph
                .input("x", 1, 1, 4, 4)
                .node(
                    "MaxPool x -> y",
                    n ->
                        n.attribute("kernel_shape", new long[] {2, 2})
                            .attribute("strides", new long[] {2, 2}))
                .output("y"));
    // 16 inputs, 4 places of 8 bytes, 4 answers
    assertThat(backward.saved().bytes()).isEqualTo(4 * 16 + 8 * 4 + 4 * 4 * 4);
  }

  /** Queries, keys and values are 1 × 5 × 2; scores 5 × 5. */
  private static BackwardMemory attention(String... scores) {
    return saved(graph -> {
      graph.input("q", 1, 5, 2).input("k", 1, 2, 5).input("v", 1, 5, 2).weight("half");
      for (String node : scores) {
        graph.node(node);
      }
      graph.node("Softmax s -> w").node("MatMul w,v -> y").output("y");
    });
  }

  @Test
  void fusedAttentionKeepsNoScores() {
    // queries, keys, values and the answers
    assertThat(attention("Mul q,half -> a", "Mul k,half -> b", "MatMul a,b -> s").saved().bytes())
        .isEqualTo(4 * (3 * 10 + 4 * 10));
    // and the weights of values, before and after some are dropped
    assertThat(attention("MatMul q,k -> t", "Mul t,half -> s").saved().bytes())
        .isEqualTo(4 * (3 * 10 + 2 * 25 + 4 * 10));
  }

  /** Dynamo exports a module as a function. */
  private static void modules(OnnxBytes model) {
    model
        .function(
            "m",
            "Conv",
            body ->
                body.text(4, "w")
                    .functionNode(
                        "Conv x,w -> y", n -> n.attribute("pads", new long[] {1, 1, 1, 1})))
        .function("m", "ReLU", body -> body.functionNode("Relu x -> y", n -> {}))
        .function(
            "m",
            "SiLU",
            body ->
                body.functionNode("Sigmoid x -> s", n -> {}).functionNode("Mul x,s -> y", n -> {}))
        .function("m", "Square", body -> body.functionNode("Mul x,x -> y", n -> {}))
        .function(
            "m",
            "Block",
            body ->
                body.functionNode("m:ReLU x -> r", n -> {})
                    .functionNode("m:Square r -> t", n -> {})
                    .functionNode("Softmax t -> y", n -> {}));
  }

  private static long called(String... nodes) {
    byte[] model =
        OnnxBytes.model(
            graph -> {
              graph.input("x", 1, 3, 8, 8).weight("w", 4, 3, 3, 3).weight("v", 4, 2).output("y");
              graph.node("m:Conv x,w -> c");
              for (String node : nodes) {
                graph.node(node);
              }
              answers(graph);
            },
            RetentionTest::modules);
    ModelGraph graph = new OnnxGraphReader(ReaderLimits.DEFAULT).read(model, "test");
    return new FeatureExtractor()
        .extract(graph, GraphBinding.NONE)
        .model()
        .backward()
        .saved()
        .bytes();
  }

  @Test
  void countsOnceWhatFunctionsAndTheirCallersKeep() {
    // as written out: the input, one more of 256, the averages and the answers
    assertThat(called("m:ReLU c -> a")).isEqualTo(4 * (192 + 256 + 4 + 4 * 2));
    assertThat(called("m:SiLU c -> a")).isEqualTo(4 * (192 + 256 + 4 + 4 * 2));
    // the ReLU's answer is what both squares read
    assertThat(called("m:ReLU c -> r", "m:Square r -> s", "m:Square r -> t", "Add s,t -> a"))
        .isEqualTo(4 * (192 + 256 + 4 + 4 * 2));
    // within a block the ReLU's answer, which nobody outside sees, and the Softmax's, which is seen
    assertThat(called("m:Block c -> b", "m:Square b -> a"))
        .isEqualTo(4 * (192 + 2 * 256 + 4 + 4 * 2));
  }
}
