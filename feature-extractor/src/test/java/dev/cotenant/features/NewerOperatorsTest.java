package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.inference.Shape;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Operators of opset 18 and later, and those of ONNX Runtime, which have no stored test. */
class NewerOperatorsTest {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);

  /** Shape of value {@code y}. */
  private static Shape infer(Consumer<OnnxBytes> content) {
    ModelGraph model =
        READER.read(OnnxBytes.model(graph -> content.accept(graph.output("y"))), "test");
    Graph graph = model.graph();
    Warnings warnings = new Warnings();
    InputBinding binding = new InputBinding(graph, GraphBinding.NONE, warnings);
    Scope scope = Scope.top(graph);
    binding.bindTo(scope);
    Extraction extraction = new Extraction(model, binding, warnings);
    new GraphWalk(extraction, graph, scope).run();
    Shape shape = scope.get(graph.value("y")).shape();
    return shape == null ? Shape.of(-1, -1) : Shape.of(shape.extents());
  }

  @Test
  void cropsAndPadsTheNamedAxes() {
    Shape shape =
        infer(graph ->
            graph
                .input("x", 20, 10, 3)
                .numbers("wanted", 10, 9)
                .node("CenterCropPad x,wanted -> y", n -> n.attribute("axes", new long[] {0, -1})));
    assertThat(shape).isEqualTo(Shape.of(10, 10, 9));
  }

  @Test
  void putsColumnsTogether() {
    // 10 columns in blocks of 1 × 5 are 2 channels of the 5 × 5 image.
    Shape shape =
        infer(graph ->
            graph
                .input("x", 1, 10, 5)
                .numbers("image", 5, 5)
                .numbers("block", 1, 5)
                .node("Col2Im x,image,block -> y"));
    assertThat(shape).isEqualTo(Shape.of(1, 2, 5, 5));
  }

  @Test
  void makesAGridOfTheImageAndItsTwoCoordinates() {
    Shape shape =
        infer(graph ->
            graph.input("x", 2, 2, 3).numbers("size", 2, 3, 5, 6).node("AffineGrid x,size -> y"));
    assertThat(shape).isEqualTo(Shape.of(2, 5, 6, 2));
  }

  @Test
  void findsThePositionsOfAKnownMask() {
    // Three of the four are not zero; one row for the only axis.
    Shape shape = infer(graph -> graph.numbers("mask", 1, 0, 1, 1).node("NonZero mask -> y"));
    assertThat(shape).isEqualTo(Shape.of(1, 3));
  }

  @Test
  void takesTheAxisOfAFourierTransformFromAnInputSinceOpset20() {
    // Axis 1 of 10 samples has 10 / 2 + 1 frequencies that are not mirrored.
    Shape shape =
        infer(graph ->
            graph
                .input("x", 3, 10, 4, 1)
                .numbers("axis", 1)
                .node("DFT x,,axis -> y", n -> n.attribute("onesided", 1)));
    assertThat(shape).isEqualTo(Shape.of(3, 6, 4, 2));
  }

  @Test
  void scansAlongTheNamedAxes() {
    // Five steps along axis 1; each gives a vector of 4, stacked along axis 1 again.
    Shape shape =
        infer(graph ->
            graph
                .input("x", 4, 5)
                .node(
                    "Scan x -> y",
                    n ->
                        n.attribute("num_scan_inputs", 1)
                            .attribute("scan_input_axes", new long[] {1})
                            .attribute("scan_output_axes", new long[] {1})
                            .graphAttribute(
                                "body",
                                body -> body.input("e", 4).node("Relu e -> f").output("f"))));
    assertThat(shape).isEqualTo(Shape.of(4, 5));
  }

  @Test
  void keepsTheMomentsOfALayerNormalization() {
    Shape shape =
        infer(graph ->
            graph
                .input("x", 2, 7, 16)
                .weight("w", 16)
                .node("LayerNormalization x,w -> z,y", n -> n.attribute("axis", -1)));
    assertThat(shape).isEqualTo(Shape.of(2, 7, 1));
  }

  @Test
  void unpacksGroupedAttention() {
    Consumer<OnnxBytes> content =
        graph ->
            graph
                .input("x", 2, 5, 64)
                .node(
                    "com.microsoft:GroupQueryAttention x,,,past -> y",
                    n -> n.attribute("num_heads", 4).attribute("kv_num_heads", 2))
                .input("past", 2, 2, 3, 8);
    // 64 = (4 + 2·2) heads of 8, of which the 4 of the queries go on.
    assertThat(infer(content)).isEqualTo(Shape.of(2, 5, 32));
    // 2·5 positions × 32 × (5 + 3) keys, for scores and again for values.
    assertThat(macs(content)).isEqualTo(2 * 2 * 5 * 32 * 8);
  }

  @Test
  void countsAFusedProductAndItsActivation() {
    Consumer<OnnxBytes> content =
        graph ->
            graph.input("x", 2, 6).weight("w", 6, 3).node("com.microsoft:GemmFastGelu x,w -> y");
    assertThat(infer(content)).isEqualTo(Shape.of(2, 3));
    assertThat(macs(content)).isEqualTo(2 * 6 * 3);
  }

  @Test
  void addsNewKeysToThePastOnes() {
    // 16 features are 2 heads of 8; 3 positions are past and 5 new.
    Shape shape =
        infer(graph ->
            graph
                .input("q", 1, 5, 32)
                .input("k", 1, 5, 16)
                .input("v", 1, 5, 16)
                .input("past", 1, 2, 3, 8)
                .node(
                    "Attention q,k,v,,past,past -> z,y",
                    n -> n.attribute("q_num_heads", 4).attribute("kv_num_heads", 2)));
    assertThat(shape).isEqualTo(Shape.of(1, 2, 8, 8));
  }

  @Test
  void keepsTheAspectRatioOfAResizedImage() {
    // 30 / 10 and 30 / 20: the smaller ratio is 1.5, so 15 × 30.
    Shape shape =
        infer(graph ->
            graph
                .input("x", 1, 3, 10, 20)
                .numbers("sizes", 30, 30)
                .node(
                    "Resize x,,,sizes -> y",
                    n ->
                        n.attribute("axes", new long[] {2, 3})
                            .attribute("keep_aspect_ratio_policy", "not_larger")));
    assertThat(shape).isEqualTo(Shape.of(1, 3, 15, 30));
  }

  @Test
  void survivesAnOptimizerOfTooFewInputs() {
    Shape shape =
        infer(graph -> graph.input("x", 4).node("ai.onnx.preview.training:Adam x -> y,u,v"));
    assertThat(shape).isEqualTo(Shape.of(-1, -1));
  }

  private static long macs(Consumer<OnnxBytes> content) {
    ModelGraph model =
        READER.read(OnnxBytes.model(graph -> content.accept(graph.output("y"))), "test");
    return new FeatureExtractor().extract(model, GraphBinding.NONE).model().multiplyAccumulates();
  }
}
