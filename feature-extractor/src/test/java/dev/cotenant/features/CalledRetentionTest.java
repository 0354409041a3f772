package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Graphs whose nodes are called as functions keep what they keep written out. A layer of several
 * nodes that a boundary cuts, such as half of a SiLU, is no longer one layer and not looked at
 * here.
 */
class CalledRetentionTest {
  private record Step(String operator, List<String> inputs, String output) {
    String text() {
      return operator + " " + String.join(",", inputs) + " -> " + output;
    }
  }

  /** Elements of 4 bytes. */
  private static long kept(Consumer<OnnxBytes> functions, List<String> nodes) {
    byte[] model =
        OnnxBytes.model(
            graph -> {
              graph.input("x", 1, 4, 8, 8).weight("v", 4, 2).weight("k", 4, 4, 1, 1).output("y");
              nodes.forEach(graph::node);
            },
            functions);
    ModelGraph graph = new OnnxGraphReader(ReaderLimits.DEFAULT).read(model, "test");
    return new FeatureExtractor()
            .extract(graph, GraphBinding.NONE)
            .model()
            .backward()
            .saved()
            .bytes()
        / 4;
  }

  private static List<String> answered(List<String> nodes, String last) {
    List<String> all = new ArrayList<>(nodes);
    all.addAll(List.of("GlobalAveragePool " + last + " -> p", "Flatten p -> f", "MatMul f,v -> y"));
    return all;
  }

  private static Consumer<OnnxBytes> function(
      List<String> inputs, List<String> outputs, List<String> body) {
    return model ->
        model.message(
            25,
            function -> {
              function.text(1, "F").text(10, "m");
              inputs.forEach(name -> function.text(4, name));
              outputs.forEach(name -> function.text(5, name));
              body.forEach(node -> function.functionNode(node, n -> {}));
            });
  }

  private static List<Step> steps(Random random) {
    List<String> operators = List.of("Relu", "Add", "Mul", "Conv", "Softmax", "Identity");
    List<String> values = new ArrayList<>(List.of("x"));
    List<Step> steps = new ArrayList<>();
    int count = 3 + random.nextInt(7);
    for (int i = 0; i < count; i++) {
      String operator = operators.get(random.nextInt(operators.size()));
      String first = values.get(random.nextInt(values.size()));
      String second = values.get(random.nextInt(values.size()));
      List<String> inputs =
          switch (operator) {
            case "Add", "Mul" -> List.of(first, second);
            case "Conv" -> List.of(first, "k");
            default -> List.of(first);
          };
      steps.add(new Step(operator, inputs, "t" + i));
      values.add("t" + i);
    }
    return steps;
  }

  private static List<String> text(List<Step> steps) {
    return steps.stream().map(Step::text).toList();
  }

  /** Those of some steps that later ones, or the answer, read. */
  private static Set<String> seen(List<Step> body, List<Step> after, String last) {
    Set<String> made = new LinkedHashSet<>(body.stream().map(Step::output).toList());
    Set<String> read = new LinkedHashSet<>();
    Stream.concat(after.stream().flatMap(step -> step.inputs().stream()), Stream.of(last))
        .filter(made::contains)
        .forEach(read::add);
    return read;
  }

  private static Set<String> read(List<Step> body) {
    Set<String> made = new LinkedHashSet<>();
    Set<String> inputs = new LinkedHashSet<>();
    for (Step step : body) {
      step.inputs().stream().filter(name -> !made.contains(name)).forEach(inputs::add);
      made.add(step.output());
    }
    return inputs;
  }

  @Test
  void keepWhatTheyKeepWrittenOut() {
    Random random = new Random(3);
    int functions = 0;
    for (int trial = 0; trial < 2_000; trial++) {
      List<Step> steps = steps(random);
      String last = steps.getLast().output();
      int from = random.nextInt(steps.size());
      int to = from + 1 + random.nextInt(steps.size() - from);
      List<Step> body = steps.subList(from, to);
      List<Step> after = steps.subList(to, steps.size());
      List<String> inputs = List.copyOf(read(body));
      List<String> outputs = List.copyOf(seen(body, after, last));
      if (outputs.isEmpty()) {
        continue;
      }
      functions++;
      String call = "m:F " + String.join(",", inputs) + " -> " + String.join(",", outputs);
      List<String> calling = new ArrayList<>(text(steps.subList(0, from)));
      calling.add(call);
      calling.addAll(text(after));

      assertThat(kept(function(inputs, outputs, text(body)), answered(calling, last)))
          .as("%s of %s", call, text(steps))
          .isEqualTo(kept(_ -> {}, answered(text(steps), last)));
    }
    assertThat(functions).isGreaterThan(1_000);
  }

  /** Modules also return weights of attention, which nobody takes. */
  @Test
  void keepWhatTheirCallerDoesNotName() {
    Consumer<OnnxBytes> attention =
        function(
            List.of("q", "k"),
            List.of("out", "weights"),
            List.of("Softmax q -> weights", "Conv weights,k -> out"));
    long written = kept(_ -> {}, answered(List.of("Softmax x -> w", "Conv w,k -> a"), "a"));
    // the weights, 4·8·8, the averages, and the answers four times
    assertThat(written).isEqualTo(256 + 4 + 4 * 2);
    for (String call : List.of("m:F x,k -> a,w", "m:F x,k -> a", "m:F x,k -> a,")) {
      assertThat(kept(attention, answered(List.of(call), "a"))).as(call).isEqualTo(written);
    }
  }

  @Test
  void passOnWhatTheyDoNotRead() {
    Consumer<OnnxBytes> passing = function(List.of("a"), List.of("a"), List.of());
    List<String> two = List.of("Relu x -> r", "Identity r -> s", "Conv r,k -> t", "Conv s,k -> u");
    List<String> calling = List.of("Relu x -> r", "m:F r -> s", "Conv r,k -> t", "Conv s,k -> u");
    assertThat(kept(passing, answered(calling, "u"))).isEqualTo(kept(_ -> {}, answered(two, "u")));
  }

  @Test
  void mayHaveFormalNamesThatAreEmptyOrMissing() {
    for (List<String> formal :
        List.of(List.of("a", "", "k"), List.of("", "", ""), List.of("a"), List.<String>of())) {
      for (String call :
          List.of("m:F x,,k -> y", "m:F x -> y,z", "m:F  -> y", "m:F x,x,k,x -> ,y")) {
        Consumer<OnnxBytes> body = function(formal, List.of("b", ""), List.of("Conv a,k -> b"));
        assertThatCode(() -> kept(body, List.of(call)))
            .as("%s of %s", call, formal)
            .doesNotThrowAnyException();
      }
    }
  }
}
