package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.GraphFeatures;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What of a body is not counted lowers the coverage: there is no silent zero. */
class UncountedBodiesTest {
  /** With so many readings of one value a body is over what may be walked after 34 times. */
  private static final int WIDE = 60_000;

  private static GraphFeatures extract(Consumer<OnnxBytes> content, Consumer<OnnxBytes> functions) {
    byte[] model = OnnxBytes.model(content, functions);
    return new FeatureExtractor()
        .extract(
            new OnnxGraphReader(ReaderLimits.DEFAULT).read(model, "test"),
            new GraphBinding(null, Map.of()));
  }

  private static GraphFeatures extract(Consumer<OnnxBytes> content) {
    return extract(content, functions -> {});
  }

  private static Consumer<OnnxBytes> calling(String text) {
    return graph -> graph.input("x", 4, 4).node(text).output("y");
  }

  private static void assertUncounted(GraphFeatures features, String warning) {
    assertThat(features.shapeCoverage()).isZero();
    assertThat(features.model().multiplyAccumulates()).isZero();
    assertThat(features.warnings()).anyMatch(line -> line.contains(warning));
  }

  @Test
  void knowsHalfOfAFunctionThatCallsItself() {
    GraphFeatures features =
        extract(
            calling("f:again x -> y"),
            model ->
                model.function(
                    "f",
                    "again",
                    function ->
                        function
                            .functionNode("MatMul x,x -> m", n -> {})
                            .functionNode("f:again m -> y", n -> {})));
    // The product of 4 × 4 matrices is known, the call within it is not.
    assertThat(features.shapeCoverage()).isEqualTo(0.5);
    assertThat(features.model().multiplyAccumulates()).isEqualTo(64);
    assertThat(features.warnings()).anyMatch(line -> line.contains("calls itself"));
  }

  /** Functions {@code f0} to {@code f32}, each but the last calling the next. */
  private static void chain(OnnxBytes model, Consumer<OnnxBytes> last) {
    for (int i = 0; i < Extraction.MAX_DEPTH; i++) {
      String inner = "f:f" + (i + 1) + " x -> y";
      model.function("f", "f" + i, function -> function.functionNode(inner, n -> {}));
    }
    model.function("f", "f" + Extraction.MAX_DEPTH, last);
  }

  @Test
  void countsNothingOfFunctionsThatAreNestedTooDeep() {
    // The last of them is walked at level 33 from f0 and at level 32, the deepest, from f1.
    Consumer<OnnxBytes> functions =
        model -> chain(model, last -> last.functionNode("MatMul x,x -> y", n -> {}));
    assertUncounted(extract(calling("f:f0 x -> y"), functions), "is too deep");
    assertThat(extract(calling("f:f1 x -> y"), functions).shapeCoverage()).isEqualTo(1.0);
  }

  @Test
  void countsNothingOfBranchesThatAreNestedTooDeep() {
    Consumer<OnnxBytes> functions =
        model ->
            chain(
                model,
                last ->
                    last.functionNode(
                        "If x -> y",
                        n ->
                            n.graphAttribute(
                                    "then_branch", body -> body.node("MatMul x,x -> p").output("p"))
                                .graphAttribute(
                                    "else_branch", body -> body.node("Relu x -> r").output("r"))));
    assertUncounted(extract(calling("f:f1 x -> y"), functions), "nested too deep");
    assertThat(extract(calling("f:f2 x -> y"), functions).shapeCoverage()).isEqualTo(1.0);
  }

  @Test
  void knowsNothingOfANodeWithoutItsBody() {
    assertUncounted(extract(calling("If x -> y")), "lacks a branch");
    assertUncounted(extract(calling("Loop ,,x -> y")), "lacks a body");
    assertUncounted(extract(calling("Scan x -> y")), "lacks a body");
    assertUncounted(extract(calling("SequenceMap x -> y")), "lacks a body");
    assertUncounted(extract(calling("com.microsoft:GreedySearch x -> y")), "lacks a decoder");
  }

  @Test
  void saysThatTheBranchThatIsNotKnownMayBeTheDearer() {
    // Four by four is known; how many of the rows are not zero is data.
    Consumer<OnnxBytes> graph =
        content ->
            content
                .input("x", 4, 4)
                .input("go")
                .node(
                    "If go -> y",
                    n ->
                        n.graphAttribute(
                                "then_branch", body -> body.node("MatMul x,x -> p").output("p"))
                            .graphAttribute("else_branch", UncountedBodiesTest::productOfRows))
                .output("y");
    GraphFeatures features = extract(graph);
    assertThat(features.model().multiplyAccumulates()).isEqualTo(64);
    assertThat(features.shapeCoverage()).isEqualTo(0.5);
  }

  /** (2, rows that are not zero) × (…, 4). */
  private static void productOfRows(OnnxBytes body) {
    body.node("NonZero x -> rows").node("MatMul rows,rows -> q").output("q");
  }

  /** Trips carry {@code next} from one to the next, which {@code body} writes. */
  private static GraphFeatures loop(long trips, Consumer<OnnxBytes> body) {
    return extract(graph ->
        graph
            .input("x", 1, 4)
            .input("go")
            .weight("w", 4, 4)
            .numbers("trips", trips)
            .node(
                "Loop trips,go,x -> last,all",
                n ->
                    n.graphAttribute(
                        "body",
                        inner -> {
                          inner.input("i").input("c").input("v");
                          body.accept(inner);
                          inner.node("Identity c -> c2").output("c2").output("next").output("next");
                        }))
            .output("last"));
  }

  @Test
  void lowersTheCoverageWhereALaterTripIsNotKnown() {
    // A row of 4 times itself; the second trip has as many columns as elements were not zero.
    GraphFeatures features =
        loop(
            2,
            body ->
                body.node("Transpose v -> t").node("MatMul v,t -> y").node("NonZero v -> next"));
    assertThat(features.model().multiplyAccumulates()).isEqualTo(4);
    assertThat(features.shapeCoverage()).isEqualTo(0.5);
  }

  @Test
  void countsANodeThatOneTripKnowsAndAnotherDoesNotAsBoth() {
    // Two products, known in the first trip only; their number does not depend on the trips.
    for (int trips : new int[] {2, 5}) {
      GraphFeatures features =
          loop(
              trips,
              body ->
                  body.node("Transpose v -> t")
                      .node("MatMul v,t -> y")
                      .node("MatMul t,v -> z")
                      .node("NonZero v -> next"));
      // a row of 4 times itself is 4, the other way round 4 x 4 products of one
      assertThat(features.model().multiplyAccumulates()).isEqualTo(4 + 16);
      assertThat(features.shapeCoverage()).isEqualTo(2 / 4.0);
    }
  }

  @Test
  void takesAnUnknownOperatorForAProductThatIsNotKnown() {
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 4, 4)
                .node("MatMul x,x -> m")
                .node("acme:Fused m -> f")
                .node("acme:Norm f -> y")
                .output("y"));
    assertThat(features.model().multiplyAccumulates()).isEqualTo(64);
    assertThat(features.shapeCoverage()).isEqualTo(1 / 3.0);
    assertThat(features.warnings()).anyMatch(line -> line.contains("acme:Fused is not known"));
  }

  @Test
  void knowsNothingOfWhatLiesOnACycle() {
    // Beside one product: two nodes that read each other, of which the addition multiplies nothing.
    for (String part :
        List.of("MatMul", "f:again", "If", "Loop", "com.microsoft:GreedySearch", "acme:Fused")) {
      GraphFeatures features =
          extract(
              graph ->
                  graph
                      .input("x", 4, 4)
                      .node("MatMul x,x -> y")
                      .node(part + " b,x -> a")
                      .node("Add a,x -> b")
                      .output("y"),
              model ->
                  model.function(
                      "f", "again", function -> function.functionNode("Relu x -> y", n -> {})));
      assertThat(features.shapeCoverage()).describedAs(part).isEqualTo(1 / 2.0);
      assertThat(features.warnings()).anyMatch(line -> line.contains("lies on a cycle"));
    }
  }

  @Test
  void takesTheLargestNumberForNoLimitOfTrips() {
    for (long limit : new long[] {Integer.MAX_VALUE, Long.MAX_VALUE}) {
      GraphFeatures features = loop(limit, body -> body.node("MatMul v,w -> next"));
      assertThat(features.model().multiplyAccumulates()).isEqualTo(16);
      assertThat(features.warnings()).anyMatch(line -> line.contains("trips are not known"));
    }
  }

  /** A row more a trip, and a sum that reads it very often. */
  private static void wideAndLonger(OnnxBytes body) {
    body.node("Concat v,v -> next", n -> n.attribute("axis", 0))
        .node("MatMul next,w -> y")
        .node("Sum " + "v,".repeat(WIDE) + "v -> sum");
  }

  @Test
  void stopsTripsOfWhichTooMuchWasWalked() {
    GraphFeatures features = loop(100, UncountedBodiesTest::wideAndLonger);
    assertThat(features.shapeCoverage()).isBetween(0.01, 0.99);
    assertThat(features.warnings()).anyMatch(line -> line.contains("not all of its trips"));
  }

  @Test
  void stopsElementsOfWhichTooMuchWasWalked() {
    long[] sizes = new long[100];
    Arrays.setAll(sizes, i -> 1 + i % 2);
    GraphFeatures features =
        extract(graph ->
            graph
                .input("x", 150, 4)
                .weight("w", 4, 4)
                .numbers("sizes", sizes)
                .node("SplitToSequence x,sizes -> parts", n -> n.attribute("axis", 0))
                .node(
                    "SequenceMap parts -> all",
                    n ->
                        n.graphAttribute(
                            "body",
                            body ->
                                body.input("v")
                                    .node("MatMul v,w -> y")
                                    .node("Sum " + "v,".repeat(WIDE) + "v -> sum")
                                    .output("y")))
                .output("all"));
    assertThat(features.shapeCoverage()).isBetween(0.01, 0.99);
    assertThat(features.warnings()).anyMatch(line -> line.contains("stopped after walking"));
  }
}
