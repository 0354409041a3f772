package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.GraphFeatures;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Loops, scans, maps over sequences and text generation, with what their bodies cost. */
class ControlFlowTest {
  /** Operators that run graphs and that ONNX's backend tests do not have. */
  static final Set<String> EXERCISED =
      Set.of(
          "com.microsoft:BeamSearch",
          "com.microsoft:GreedySearch",
          "com.microsoft:Sampling",
          "com.microsoft:WhisperBeamSearch");

  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);

  private static GraphFeatures extract(GraphBinding binding, Consumer<OnnxBytes> content) {
    return new FeatureExtractor().extract(READER.read(OnnxBytes.model(content), "test"), binding);
  }

  private static GraphFeatures extract(Consumer<OnnxBytes> content) {
    return extract(GraphBinding.NONE, content);
  }

  private static long macs(Consumer<OnnxBytes> content) {
    return extract(content).model().multiplyAccumulates();
  }

  /** Every trip adds a row of 4 to the cache and multiplies the cache by a weight of 4 × 4. */
  private static void growing(OnnxBytes body) {
    body.input("i")
        .input("c")
        .input("cache", 1, 4)
        .node("Concat cache,x -> longer", n -> n.attribute("axis", 0))
        .node("MatMul longer,w -> y")
        .node("Identity c -> c2")
        .output("c2")
        .output("longer")
        .output("y");
  }

  private static Consumer<OnnxBytes> loop(String trips, Consumer<OnnxBytes> body) {
    return graph ->
        graph
            .input("go")
            .input("n")
            .numbers("three", 3)
            .numbers("many", 1000)
            .weight("x", 1, 4)
            .weight("w", 4, 4)
            .weight("start", 1, 4)
            .node("Loop " + trips + ",go,start -> last,all", n -> n.graphAttribute("body", body))
            .output("last");
  }

  @Test
  void costsWhatEachTripCostsWhereACacheGrows() {
    // Caches of 2, 3 and 4 rows, each row 4 × 4; the layer of the body counts once.
    GraphFeatures features = extract(loop("three", ControlFlowTest::growing));
    assertThat(features.model().multiplyAccumulates()).isEqualTo((2 + 3 + 4) * 16);
    assertThat(features.model().layers().linear()).isEqualTo(1);
    assertThat(features.shapeCoverage()).isEqualTo(1.0);
  }

  @Test
  void knowsNotWhatChangesWhereTripsAreManyOrNotKnown() {
    for (String trips : new String[] {"many", "n"}) {
      GraphFeatures features = extract(loop(trips, ControlFlowTest::growing));
      assertThat(features.shapeCoverage()).as(trips).isZero();
      assertThat(features.warnings()).as(trips).anyMatch(line -> line.contains("MatMul"));
    }
  }

  @Test
  void multipliesABodyThatLeavesShapesAlone() {
    Consumer<OnnxBytes> body =
        content ->
            content
                .input("i")
                .input("c")
                .input("state", 1, 4)
                .node("MatMul state,w -> next")
                .node("Identity c -> c2")
                .output("c2")
                .output("next")
                .output("next");
    GraphFeatures features = extract(loop("many", body));
    assertThat(features.model().multiplyAccumulates()).isEqualTo(1000 * 16);
    assertThat(features.shapeCoverage()).isEqualTo(1.0);
    assertThat(extract(loop("n", body)).warnings())
        .anyMatch(line -> line.contains("trips are not known"));
  }

  @Test
  void stopsALoopWhoseConditionTurnsFalse() {
    // The condition of the next trip is whether its number is below 1: two trips are run.
    Consumer<OnnxBytes> body =
        content ->
            content
                .input("i")
                .input("c")
                .input("cache", 1, 4)
                .numbers("one", 1)
                .node("Less i,one -> c2")
                .node("Concat cache,x -> longer", n -> n.attribute("axis", 0))
                .node("MatMul longer,w -> y")
                .output("c2")
                .output("longer")
                .output("y");
    assertThat(macs(loop("three", body))).isEqualTo((2 + 3) * 16);
  }

  @Test
  void keepsTheBatchOfAStateThatStartsWithoutOne() {
    // The state starts as stored zeros at the declared batch and is the batch's from then on.
    Consumer<OnnxBytes> graph =
        content ->
            content
                .input("x", 1, 4)
                .weight("w", 4, 4)
                .weight("zeros", 1, 4)
                .numbers("trips", 10)
                .input("go")
                .node(
                    "Loop trips,go,zeros -> last",
                    n ->
                        n.graphAttribute(
                            "body",
                            body ->
                                body.input("i")
                                    .input("c")
                                    .input("h", 1, 4)
                                    .node("Add h,x -> sum")
                                    .node("MatMul sum,w -> next")
                                    .node("Identity c -> c2")
                                    .output("c2")
                                    .output("next")))
                .output("last");
    assertThat(extract(new GraphBinding(8, Map.of()), graph).model().multiplyAccumulates())
        .isEqualTo(8 * 10 * 16);
  }

  @Test
  void scansAlongTheNamedAxes() {
    // Five steps along axis 1, each a vector of 4 that is stacked along axis 1 again: 4·5 × 2.
    assertThat(
            macs(graph ->
                graph
                    .input("x", 4, 5)
                    .weight("w", 5, 2)
                    .node(
                        "Scan x -> stacked",
                        n ->
                            n.attribute("num_scan_inputs", 1)
                                .attribute("scan_input_axes", new long[] {1})
                                .attribute("scan_output_axes", new long[] {1})
                                .graphAttribute(
                                    "body",
                                    body -> body.input("e", 4).node("Relu e -> f").output("f")))
                    .node("MatMul stacked,w -> y")
                    .output("y")))
        .isEqualTo(4 * 5 * 2);
  }

  @Test
  void mapsABodyOverElementsOfSeveralShapes() {
    // Parts of 2, 2 and 1 rows of 4, each times 4 × 4.
    assertThat(
            macs(graph ->
                graph
                    .input("x", 5, 4)
                    .weight("w", 4, 4)
                    .numbers("two", 2, 2, 1)
                    .node("SplitToSequence x,two -> parts", n -> n.attribute("axis", 0))
                    .node(
                        "SequenceMap parts -> products",
                        n ->
                            n.graphAttribute(
                                "body",
                                body ->
                                    body.input("part", 2, 4)
                                        .node("MatMul part,w -> y")
                                        .output("y")))
                    .node("ConcatFromSequence products -> all", n -> n.attribute("axis", 0))
                    .node("MatMul all,w -> y")
                    .output("y")))
        .isEqualTo((2 + 2 + 1) * 16 + 5 * 16);
  }

  @Test
  void followsSequencesFromElementToElement() {
    // Rows of 1, 2 and 3; the last goes, the first is put behind: 2 and 1 rows.
    assertThat(
            macs(graph ->
                graph
                    .input("a", 1, 4)
                    .input("b", 2, 4)
                    .input("c", 3, 4)
                    .weight("w", 4, 8)
                    .numbers("zero", 0)
                    .node("SequenceConstruct a,b,c -> all")
                    .node("SequenceErase all -> two")
                    .node("SequenceAt two,zero -> first")
                    .node("SequenceErase two,zero -> one")
                    .node("SequenceInsert one,first -> turned")
                    .node("SequenceAt turned,zero -> x")
                    .node("MatMul x,w -> y")
                    .node("ConcatFromSequence turned -> z", n -> n.attribute("axis", 0))
                    .node("MatMul z,w -> v")
                    .output("y")
                    .output("v")))
        .isEqualTo(2 * 32 + 3 * 32);
  }

  @Test
  void knowsOfAnElementAtAnUnknownPlaceWhatAllHaveInCommon() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("a", 1, 4)
                .input("b", 1, 4)
                .input("place")
                .weight("w", 4, 8)
                .node("SequenceConstruct a,b -> both")
                .node("SequenceAt both,place -> x")
                .node("MatMul x,w -> y")
                .output("y"));
    assertThat(features.model().multiplyAccumulates()).isEqualTo(32);
  }

  private static Consumer<OnnxBytes> search(String operator, Consumer<OnnxBytes> attributes) {
    return graph ->
        graph
            .input("text", "batch", 5)
            .numbers("longest", 20)
            .numbers("shortest", 1)
            .numbers("beams", 4)
            .numbers("kept", 1)
            .node(
                "com.microsoft:" + operator + " text,longest,shortest,beams,kept -> found",
                attributes)
            .output("found");
  }

  private static void decoder(OnnxBytes body) {
    body.input("token", "batch", 4).weight("w", 4, 4).node("MatMul token,w -> y").output("y");
  }

  private static void encoder(OnnxBytes body) {
    body.input("frames", "batch", 7, 4).weight("v", 4, 4).node("MatMul frames,v -> z").output("z");
  }

  @Test
  void countsADecoderForEveryTokenItMayGenerate() {
    // 20 − 5 tokens of 4 × 4 for two samples.
    for (String operator : new String[] {"GreedySearch", "Sampling"}) {
      GraphFeatures features =
          extract(
              new GraphBinding(2, Map.of()),
              search(operator, n -> n.graphAttribute("decoder", ControlFlowTest::decoder)));
      assertThat(features.model().multiplyAccumulates()).as(operator).isEqualTo(2 * 15 * 16);
      assertThat(features.model().parameters()).as(operator).isEqualTo(16);
    }
  }

  @Test
  void countsEveryBeamBehindAnEncoder() {
    // The encoder's 7 × 4 × 4 once, then 20 − 1 tokens for each of 4 beams.
    for (String operator : new String[] {"BeamSearch", "WhisperBeamSearch"}) {
      GraphFeatures features =
          extract(
              new GraphBinding(3, Map.of()),
              search(
                  operator,
                  n ->
                      n.graphAttribute("encoder", ControlFlowTest::encoder)
                          .graphAttribute("decoder", ControlFlowTest::decoder)));
      assertThat(features.model().multiplyAccumulates())
          .as(operator)
          .isEqualTo(3 * (7 * 16 + 4 * 19 * 16));
    }
  }
}
