package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.pattern.LayerPatterns;
import dev.cotenant.features.pattern.ValueIndex;
import org.junit.jupiter.api.Test;

class LoweringTest {
  private static final TensorFact MATRIX =
      TensorFact.of(ElementType.FLOAT, Shape.of(new long[] {4, 4}, 0));

  @Test
  void namesANodeWhoseLaunchesCannotBeCounted() {
    byte[] model = OnnxBytes.model(g -> g.input("x", 4, 4).node("Relu x -> y").output("y"));
    Graph graph = new OnnxGraphReader(ReaderLimits.DEFAULT).read(model, "test").graph();
    Node node = graph.nodes().getFirst();
    Scope scope = Scope.top(graph);
    scope.put(node.input(0), MATRIX);
    scope.put(node.output(0), MATRIX);
    GraphWarnings warnings = new GraphWarnings();
    Lowering lowering =
        new Lowering(graph, scope, new LayerPatterns(graph, new ValueIndex(graph)), warnings);
    Operator operator =
        Operator.other(_ -> {})
            .launching(_ -> {
              throw new ShapeMismatch("axis 2 of a matrix");
            });
    lowering.add(0, node, operator, new NodeView(node, new TensorFact[] {MATRIX}, 1));
    assertThat(warnings.lines())
        .singleElement()
        .satisfies(line -> assertThat(line).contains("Relu").endsWith(": axis 2 of a matrix"));
    assertThat(lowering.finish().kernels().kernels()).isEqualTo(Amount.ONE);
  }
}
