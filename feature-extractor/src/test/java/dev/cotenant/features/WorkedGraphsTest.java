package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.LayerCounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkedGraphsTest {
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();

  private static GraphFeatures extract(GraphBinding binding, Consumer<OnnxBytes> content) {
    return EXTRACTOR.extract(READER.read(OnnxBytes.model(content), "test"), binding);
  }

  private static GraphFeatures extract(Consumer<OnnxBytes> content) {
    return extract(GraphBinding.NONE, content);
  }

  @Test
  void countsAConvolution() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 1, 3, 32, 32)
                .weight("w", 8, 3, 3, 3)
                .weight("b", 8)
                .node("Conv x,w,b -> y", n -> n.attribute("pads", new long[] {1, 1, 1, 1}))
                .output("y"));
    // 8·32·32 outputs × 3·3·3; the bias costs nothing. 8·27 + 8 parameters of 4 bytes.
    assertThat(features.model().multiplyAccumulates()).isEqualTo(8 * 32 * 32 * 27);
    assertThat(features.model().parameters()).isEqualTo(224);
    assertThat(features.model().modelSize().bytes()).isEqualTo(896);
    assertThat(features.model().activations().bytes()).isEqualTo(8 * 32 * 32 * 4);
    assertThat(features.model().layers()).isEqualTo(new LayerCounts(1, 0, 0, 0));
    assertThat(features.warnings()).isEmpty();
  }

  @Test
  void countsADepthwiseConvolutionByGroups() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 1, 16, 8, 8)
                .weight("w", 16, 1, 3, 3)
                .node("Conv x,w -> y", n -> n.attribute("group", 16))
                .output("y"));
    // 16·6·6 outputs × 1·3·3
    assertThat(features.model().multiplyAccumulates()).isEqualTo(16 * 36 * 9);
  }

  @Test
  void countsATransposedConvolutionByItsInput() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 1, 8, 16, 16)
                .weight("w", 8, 4, 2, 2)
                .node("ConvTranspose x,w -> y", n -> n.attribute("strides", new long[] {2, 2}))
                .output("y"));
    // 8·16·16 inputs × 4·2·2; the output is 4 × 32 × 32.
    assertThat(features.model().multiplyAccumulates()).isEqualTo(8 * 256 * 16);
    assertThat(features.model().activations().bytes()).isEqualTo(4 * 32 * 32 * 4);
  }

  @Test
  void countsLinearLayersOnlyWhereTheWeightIsConstant() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 4, 128)
                .weight("w", 64, 128)
                .node("Gemm x,w -> y", n -> n.attribute("transB", 1))
                .node("Transpose y -> t")
                .node("MatMul y,t -> z")
                .output("z"));
    // Gemm 4·64 × 128, then (4, 64) × (64, 4): 16 × 64
    assertThat(features.model().multiplyAccumulates()).isEqualTo(4 * 64 * 128 + 16 * 64);
    assertThat(features.model().layers().linear()).isEqualTo(1);
  }

  @Test
  void broadcastsTheBatchOfAMatrixProduct() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 2, 1, 10, 64)
                .input("z", 5, 64, 7)
                .node("MatMul x,z -> y")
                .output("y"));
    // (2, 5, 10, 7) outputs × 64
    assertThat(features.model().multiplyAccumulates()).isEqualTo(2 * 5 * 10 * 7 * 64);
  }

  @Test
  void roundsPoolingUpOnlyWhereTheWindowStartsInside() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 1, 1, 6, 6)
                .node(
                    "MaxPool x -> y",
                    n ->
                        n.attribute("kernel_shape", new long[] {3, 3})
                            .attribute("strides", new long[] {2, 2})
                            .attribute("ceil_mode", 1))
                .output("y"));
    // ⌈(6 − 3) / 2⌉ + 1 = 3 positions, the last from 4: inside. 9 floats.
    assertThat(features.model().activations().bytes()).isEqualTo(36);
    assertThat(features.model().layers().other()).isEqualTo(1);
  }

  @Test
  void rescalesReshapesThatBakeTheBatchIn() {
    Consumer<OnnxBytes> graph =
        content ->
            content
                .input("x", 1, 49, 96)
                .numbers("heads", 49, 3, 32)
                .numbers("flat", 49, 96)
                .numbers("back", 49, 1, 96)
                .weight("w", 96, 96)
                .node("Transpose x -> xt", n -> n.attribute("perm", new long[] {1, 0, 2}))
                .node("Reshape xt,heads -> h")
                .node("Transpose h -> q", n -> n.attribute("perm", new long[] {1, 0, 2}))
                .node("Transpose h -> k", n -> n.attribute("perm", new long[] {1, 2, 0}))
                .node("MatMul q,k -> a")
                .node("MatMul a,q -> v")
                .node("Transpose v -> vt", n -> n.attribute("perm", new long[] {1, 0, 2}))
                .node("Reshape vt,flat -> f")
                .node("MatMul f,w -> o")
                .node("Reshape o,back -> b")
                .node("Transpose b -> bt", n -> n.attribute("perm", new long[] {1, 0, 2}))
                .node("Add bt,x -> y")
                .output("y");
    // Heads 3 of 32: 49·49·96 twice; projection 49·96·96.
    long one = 2 * 49 * 49 * 96 + 49 * 96 * 96;
    // Scores 3·49·49, weighted 49·96, projected 49·96, summed 49·96, of 4 bytes.
    long bytes = (3 * 49 * 49 + 3 * 49 * 96) * 4L;
    for (int batch : new int[] {1, 2, 7, 64}) {
      GraphFeatures features = extract(new GraphBinding(batch, Map.of()), graph);
      assertThat(features.model().multiplyAccumulates()).isEqualTo(batch * one);
      assertThat(features.model().activations().bytes()).isEqualTo(batch * bytes);
      assertThat(features.model().batchSize()).isEqualTo(batch);
    }
  }

  @Test
  void takesSymbolsFromTheBindingAndWarnsOfTheOthers() {
    Consumer<OnnxBytes> graph =
        content ->
            content
                .input("x", "batch", "seq", 8)
                .weight("w", 8, 8)
                .node("MatMul x,w -> y")
                .output("y");
    GraphFeatures bound = extract(new GraphBinding(2, Map.of("seq", 16)), graph);
    assertThat(bound.model().multiplyAccumulates()).isEqualTo(2 * 16 * 8 * 8);
    assertThat(bound.warnings()).isEmpty();
    GraphFeatures free = extract(GraphBinding.NONE, graph);
    assertThat(free.model().multiplyAccumulates()).isEqualTo(64);
    assertThat(free.warnings()).singleElement().asString().contains("seq");
  }

  @Test
  void scalesLinearlyAndSaysSoWhereNoInputHasABatch() {
    GraphFeatures features =
        extract(
            new GraphBinding(5, Map.of()),
            graph -> graph.input("x", 64).weight("w", 64, 32).node("MatMul x,w -> y").output("y"));
    assertThat(features.model().multiplyAccumulates()).isEqualTo(5 * 64 * 32);
    assertThat(features.warnings()).singleElement().asString().contains("no input has a batch");
  }

  @Test
  void countsTheDearerBranch() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 1, 8)
                .input("c")
                .node(
                    "If c -> y",
                    n ->
                        n.graphAttribute("then_branch", body -> product(body, 8))
                            .graphAttribute("else_branch", body -> product(body, 32)))
                .output("y"));
    assertThat(features.model().multiplyAccumulates()).isEqualTo(8 * 32);
    assertThat(features.model().layers().linear()).isEqualTo(1);
    // Both branches are stored.
    assertThat(features.model().parameters()).isEqualTo(8 * 8 + 8 * 32);
  }

  private static void product(OnnxBytes body, int columns) {
    body.weight("w" + columns, 8, columns).node("MatMul x,w" + columns + " -> o").output("o");
  }

  @Test
  void keepsOnlyWhatIsStillReadAliveAtThePeak() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 1, 1000)
                .node("Relu x -> a")
                .node("Relu a -> b")
                .node("Relu b -> c")
                .node("Add a,c -> d")
                .output("d"));
    // While Add runs: a, c and d of 4,000 bytes; while c is computed a, b and c.
    assertThat(features.peakActivations().bytes()).isEqualTo(12_000);
    assertThat(features.model().activations().bytes()).isEqualTo(16_000);
  }

  @Test
  void readsAModelOverTwoGibibytesWithoutItsWeights(@TempDir Path folder) throws IOException {
    byte[] graph =
        new OnnxBytes()
            .input("x", 1, 8)
            .weight("w", 8, 8)
            .node("MatMul x,w -> y")
            .output("y")
            .toBytes();
    long weights = 3L << 30;
    // The graph once more with a raw_data (9) of 3 GiB in an initializer (5).
    byte[] raw = new OnnxBytes().tensor("huge", OnnxBytes.FLOAT, 3 << 28).toBytes();
    byte[] rawHead = new OnnxBytes().varint((9 << 3) | 2).varint(weights).toBytes();
    long tensorLength = raw.length + rawHead.length + weights;
    byte[] tensorHead = new OnnxBytes().varint((5 << 3) | 2).varint(tensorLength).toBytes();
    long graphLength = graph.length + tensorHead.length + tensorLength;
    byte[] head = new OnnxBytes().integer(1, 8).varint((7 << 3) | 2).varint(graphLength).toBytes();
    byte[] start = concat(head, graph, tensorHead, raw, rawHead);
    Path file = folder.resolve("huge.onnx");
    try (var channel = new RandomAccessFile(file.toFile(), "rw")) {
      channel.write(start);
      channel.setLength(start.length + weights);
    }
    GraphFeatures features = EXTRACTOR.extract(READER.read(file), GraphBinding.NONE);
    assertThat(Files.size(file)).isGreaterThan(1L << 31);
    assertThat(features.model().parameters()).isEqualTo((3 << 28) + 64);
    assertThat(features.model().multiplyAccumulates()).isEqualTo(64);
  }

  private static byte[] concat(byte[]... parts) {
    var out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  @Test
  void refusesWhatIsOverALimit() {
    byte[] model =
        OnnxBytes.model(graph -> graph.input("x", 1).node("Relu x -> y").node("Relu y -> z"));
    var fewNodes = new OnnxGraphReader(new ReaderLimits(1 << 20, 1 << 20, 1, 1000, 4, 100));
    assertThatThrownBy(() -> fewNodes.read(model, "upload"))
        .isInstanceOfSatisfying(
            InputException.class, error -> assertThat(error.code()).isEqualTo("too-many-nodes"));
    var small = new OnnxGraphReader(new ReaderLimits(10, 10, 10, 1000, 4, 100));
    assertThatThrownBy(() -> small.read(model, "upload"))
        .isInstanceOfSatisfying(
            InputException.class, error -> assertThat(error.code()).isEqualTo("too-large"));
  }

  @Test
  void refusesABatchBelowOne() {
    assertThatThrownBy(() -> new GraphBinding(0, Map.of()))
        .isInstanceOfSatisfying(
            InputException.class,
            error -> assertThat(error.code()).isEqualTo("batch-out-of-range"));
  }
}
