package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@code docs/operators.md} says what the table of operators says. */
class OperatorPageTest {
  private static final Path PAGE = Path.of("..", "docs", "operators.md");
  private static final String HEADER =
      """
      # Operators

      The rule for every supported operator. This page is generated from the table of operators; a test
      compares the two, and `./mvnw test -pl feature-extractor -am -Dtest=OperatorPageTest -Dsurefire.failIfNoSpecifiedTests=false
      -Dcotenant.docs.write=true` regenerates it. Layers are those of a node with stored weights (and, for `Clip`, bounds 0 to 6).
      A pass-through infers nothing: the declared shapes of the outputs apply. A warning names any other operator, which counts in
      `shape_coverage` as an unknown matrix node, since it may multiply matrices; so do calls, bodies and operators on a cycle.

      | operator | domain | shape | multiply-accumulates | counted as | layers |
      |---|---|---|---|---|---|
      """;

  @Test
  void saysWhatTheTableSays() throws IOException {
    String page = page();
    if (Boolean.getBoolean("cotenant.docs.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page);
  }

  private static String page() {
    OperatorTable table = StandardOperators.table();
    TreeSet<String> keys = new TreeSet<>(table.keys());
    keys.addAll(ControlFlow.OPERATORS);
    StringBuilder page = new StringBuilder(HEADER);
    for (String key : keys) {
      page.append(row(key, table.find(key))).append('\n');
    }
    return page.toString();
  }

  private static String row(String key, @Nullable Operator operator) {
    int colon = key.lastIndexOf(':');
    String name = key.substring(colon + 1);
    String domain = colon < 0 ? "ai.onnx" : key.substring(0, colon);
    String start = "| " + name + " | " + domain + " | ";
    if (operator == null) {
      return start + "rule | of its body | body | of its body |";
    }
    String role = operator.role().name().toLowerCase(Locale.ROOT);
    boolean isMatrix = operator.role() == Operator.Role.MATRIX;
    return start
        + (operator.isPassThrough() ? "pass-through" : "rule")
        + (isMatrix ? " | rule | " : " | none | ")
        + role
        + " | "
        + layers(operator.layers().count(probe(name)))
        + " |";
  }

  /** A node all of whose inputs are stored matrices of one element. */
  private static NodeView probe(String name) {
    Node.Builder node = new Graph.Builder().node().operator(name).output(3);
    double[] numbers = {0, 0, 6};
    TensorFact[] inputs = new TensorFact[numbers.length];
    for (int i = 0; i < inputs.length; i++) {
      KnownNumbers number = KnownNumbers.of(numbers[i]);
      inputs[i] = new TensorFact(ElementType.FLOAT, Shape.of(1, 1), number, true, null);
      node.input(i);
    }
    return new NodeView(node.build(), inputs, 1);
  }

  private static String layers(LayerCounts counts) {
    List<String> parts = new ArrayList<>();
    add(parts, counts.convolution(), "convolution");
    add(parts, counts.linear(), "linear");
    add(parts, counts.activation(), "activation");
    add(parts, counts.other(), "other");
    return parts.isEmpty() ? "none" : String.join(", ", parts);
  }

  private static void add(List<String> parts, int count, String name) {
    if (count > 0) {
      parts.add(count + " " + name);
    }
  }
}
