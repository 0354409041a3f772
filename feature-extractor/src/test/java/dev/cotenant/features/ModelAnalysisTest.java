package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.ExecutionFeatures;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.StoredParameters;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** One walk over a graph answers for every batch, and says how the graph runs. */
class ModelAnalysisTest {
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);

  private static ModelAnalysis analyze(Consumer<OnnxBytes> content) {
    return EXTRACTOR.analyze(READER.read(OnnxBytes.model(content), "test"), Map.of());
  }

  private static ExecutionFeatures execution(Consumer<OnnxBytes> content) {
    return analyze(content).atDeclaredBatch().execution();
  }

  /** A block as ResNet has it, written for a fixed batch. */
  private static void block(OnnxBytes graph, int batch) {
    graph
        .input("x", batch, 8, 10, 10)
        .weight("w1", 8, 8, 1, 1)
        .weight("w2", 8, 8, 1, 1)
        .weight("s", 8)
        .node("Conv x,w1 -> c1")
        .node("BatchNormalization c1,s,s,s,s -> n1")
        .node("Relu n1 -> r1")
        .node("Conv r1,w2 -> c2")
        .node("Add c2,x -> sum")
        .node("Relu sum -> y")
        .output("y");
  }

  @Test
  void agreesWithTheSameGraphExportedAtEachBatch() {
    ModelAnalysis one = analyze(graph -> block(graph, 1));
    ModelAnalysis six = analyze(graph -> block(graph, 6));
    for (int batch = 1; batch < 20; batch++) {
      int size = batch;
      GraphFeatures exported = analyze(graph -> block(graph, size)).atDeclaredBatch();
      assertThat(one.at(batch)).isEqualTo(exported);
      assertThat(six.at(batch)).isEqualTo(exported);
    }
  }

  @Test
  void squaresWhatComparesAllPairsOfABatch() {
    ModelAnalysis similarities =
        analyze(graph ->
            graph
                .input("x", "batch", 16)
                .node("Transpose x -> t")
                .node("MatMul x,t -> y")
                .output("y"));
    // Every pair of samples costs 16; the result has batch² elements of 4 bytes.
    assertThat(similarities.at(1).model().multiplyAccumulates()).isEqualTo(16);
    assertThat(similarities.at(7).model().multiplyAccumulates()).isEqualTo(7 * 7 * 16);
    assertThat(similarities.at(7).model().activations().bytes()).isEqualTo(7 * 7 * 4);
  }

  @Test
  void multipliesTheStepsOfAScanOverTheBatch() {
    ModelAnalysis analysis =
        analyze(graph ->
            graph
                .input("x", "batch", 4)
                .node(
                    "Scan x -> y",
                    n ->
                        n.attribute("num_scan_inputs", 1)
                            .graphAttribute(
                                "body",
                                body ->
                                    body.input("row", 4)
                                        .weight("w", 4, 4)
                                        .node("MatMul row,w -> o")
                                        .output("o")))
                .output("y"));
    assertThat(analysis.at(3).model().multiplyAccumulates()).isEqualTo(3 * 16);
    assertThat(analysis.at(3).execution().kernels()).isEqualTo(3);
    assertThat(analysis.at(3).execution().depth()).isEqualTo(3);
  }

  @Test
  void fusesConvolutionNormalisationSumAndActivation() {
    ExecutionFeatures execution = execution(graph -> block(graph, 1));
    // c1 + n1 + r1 and c2 + sum + y; x is read by both, r1 by the second: 3 × 3,200 bytes.
    assertThat(execution.kernels()).isEqualTo(2);
    assertThat(execution.depth()).isEqualTo(2);
    assertThat(execution.width()).isEqualTo(1);
    assertThat(execution.activationsRead().bytes()).isEqualTo(3 * 3_200);
    assertThat(execution.activationsWritten().bytes()).isEqualTo(2 * 3_200);
    // Two kernels of 64 weights and four times 8 numbers of the normalisation.
    assertThat(execution.weightsRead().bytes()).isEqualTo((2 * 64 + 4 * 8) * 4);
    // 2 · 2 · 64 · 100 operations over 16,640 bytes.
    assertThat(execution.arithmeticIntensity()).isEqualTo(25_600 / 16_640.0);
  }

  @Test
  void doesNotFuseWhatSomeoneElseReads() {
    ExecutionFeatures execution =
        execution(graph ->
            graph
                .input("x", 1, 8)
                .weight("w", 8, 8)
                .node("MatMul x,w -> m")
                .node("Relu m -> a")
                .node("Sigmoid m -> b")
                .output("a")
                .output("b"));
    assertThat(execution.kernels()).isEqualTo(3);
    assertThat(execution.depth()).isEqualTo(2);
    assertThat(execution.width()).isEqualTo(2);
  }

  @Test
  void runsALayerOfSeveralNodesInOneKernel() {
    // SiLU joins the product before it; layer normalisation stands alone.
    ExecutionFeatures silu =
        execution(graph ->
            graph
                .input("x", 1, 8)
                .weight("w", 8, 8)
                .node("MatMul x,w -> m")
                .node("Sigmoid m -> s")
                .node("Mul m,s -> y")
                .output("y"));
    assertThat(silu.kernels()).isEqualTo(1);
    ExecutionFeatures normalisation =
        execution(graph ->
            graph
                .input("x", 1, 8)
                .weight("two", 1)
                .weight("g", 8)
                .node("ReduceMean x -> mean")
                .node("Sub x,mean -> d")
                .node("Pow d,two -> q")
                .node("ReduceMean q -> v")
                .node("Add v,two -> e")
                .node("Sqrt e -> r")
                .node("Div d,r -> n")
                .node("Mul n,g -> y")
                .output("y"));
    assertThat(normalisation.kernels()).isEqualTo(1);
    assertThat(normalisation.activationsRead().bytes()).isEqualTo(32);
    assertThat(normalisation.activationsWritten().bytes()).isEqualTo(32);
  }

  @Test
  void launchesNothingForViewsAndShapesAndAKernelForEveryRecurrentStep() {
    assertThat(
            execution(graph ->
                    graph
                        .input("x", 2, 8)
                        .node("Shape x -> s")
                        .node("Identity x -> i")
                        .node("Reshape i,s -> y")
                        .output("y"))
                .kernels())
        .isZero();
    ExecutionFeatures recurrent =
        execution(graph ->
            graph
                .input("x", 20, "batch", 8)
                .weight("w", 2, 16, 8)
                .weight("r", 2, 16, 4)
                .node("LSTM x,w,r -> y", n -> n.attribute("direction", "bidirectional"))
                .output("y"));
    assertThat(recurrent.kernels()).isEqualTo(40);
    assertThat(recurrent.share(WorkClass.RECURRENT)).isEqualTo(1);
  }

  @Test
  void readsNoMoreOfATableThanItTakes() {
    ExecutionFeatures embedding =
        execution(graph ->
            graph
                .weight("table", 30_000, 16)
                .input("ids", 1, 5)
                .node("Gather table,ids -> y")
                .output("y"));
    assertThat(embedding.weightsRead().bytes()).isEqualTo(5 * 16 * 4);
    assertThat(embedding.activationsWritten().bytes()).isEqualTo(5 * 16 * 4);
  }

  @Test
  void tellsClassesOfWorkApart() {
    ExecutionFeatures execution =
        execution(graph ->
            graph
                .input("x", 1, 8, 4, 4)
                .weight("depthwise", 8, 1, 3, 3)
                .weight("grouped", 8, 4, 1, 1)
                .node("Conv x,depthwise -> d", n -> n.attribute("group", 8))
                .node("Conv d,grouped -> g", n -> n.attribute("group", 2))
                .node("Transpose g -> t", n -> n.attribute("perm", new long[] {0, 1, 3, 2}))
                .node("MatMul g,t -> scores")
                .node("Softmax scores -> p")
                .node("MatMul p,g -> y")
                .output("y"));
    // 8·2·2 outputs of 9; the same of 4; twice (8 of 2×2 by 2×2) matrices.
    assertThat(execution.work())
        .isEqualTo(
            Map.of(
                WorkClass.DEPTHWISE_CONVOLUTION, 8L * 4 * 9,
                WorkClass.GROUPED_CONVOLUTION, 8L * 4 * 4,
                WorkClass.ATTENTION, 2L * 8 * 8));
  }

  @Test
  void namesARecurrentLayerWhoseInputHasTooFewAxes() {
    GraphFeatures features =
        analyze(graph ->
                graph
                    .input("x", 5)
                    .weight("w", 1, 16, 8)
                    .weight("r", 1, 16, 4)
                    .node("LSTM x,w,r -> y")
                    .output("y"))
            .atDeclaredBatch();
    assertThat(features.shapeCoverage()).isZero();
    assertThat(features.warnings()).anySatisfy(line -> assertThat(line).contains("LSTM y"));
  }

  @Test
  void countsParametersByType() {
    GraphFeatures features =
        analyze(graph ->
                graph
                    .input("x", 1, 8)
                    .weight("w", 8, 8)
                    .message(5, tensor -> tensor.tensor("half", 10, 100))
                    .node("MatMul x,w -> y")
                    .output("y"))
            .atDeclaredBatch();
    assertThat(features.parameters())
        .containsExactly(
            new StoredParameters("float", 64, MemorySize.ofBytes(256)),
            new StoredParameters("float16", 100, MemorySize.ofBytes(200)));
  }

  @Test
  void refusesABatchBelowOne() {
    ModelAnalysis analysis = analyze(graph -> block(graph, 1));
    assertThatThrownBy(() -> analysis.at(0))
        .isInstanceOfSatisfying(
            InputException.class,
            error -> assertThat(error.code()).isEqualTo("batch-out-of-range"));
  }

  @Test
  void answersForEveryBatchOfEveryExportedModelFromOneWalk() throws IOException {
    Path folder = OutsideData.require("models/torchvision");
    List<Path> files;
    try (var listed = Files.list(folder)) {
      files = listed.filter(file -> file.toString().endsWith(".b1.onnx")).sorted().toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      ModelAnalysis analysis = EXTRACTOR.analyze(READER.read(file), Map.of());
      GraphFeatures one = analysis.at(1);
      GraphFeatures many = analysis.at(48);
      ExecutionFeatures execution = one.execution();
      assertThat(many.model().multiplyAccumulates())
          .as(file.toString())
          .isEqualTo(48 * one.model().multiplyAccumulates());
      assertThat(many.execution().kernels()).as(file.toString()).isEqualTo(execution.kernels());
      assertThat(execution.kernels()).as(file.toString()).isBetween(8L, (long) one.operators());
      assertThat(execution.depth()).as(file.toString()).isLessThanOrEqualTo(execution.kernels());
      assertThat(one.peakActivations())
          .as(file.toString())
          .isLessThanOrEqualTo(one.model().activations().plus(MemorySize.ofMiB(64)));
      assertThat(execution.work().values().stream().mapToLong(Long::longValue).sum())
          .as(file.toString())
          .isEqualTo(one.model().multiplyAccumulates());
    }
  }
}
