package dev.cotenant.features;

import dev.cotenant.features.ControlFlow.Outcome;
import dev.cotenant.features.execution.DataFlow;
import dev.cotenant.features.execution.DataFlow.Use;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Kernel;
import dev.cotenant.features.inference.Operator.Role;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.pattern.LayerPatterns;
import java.util.BitSet;

/**
 * Lowers the nodes of one graph to the steps that a device runs, as they are walked. Views are
 * other names of a buffer; what stored tensors and shapes determine runs before the model does.
 */
final class Lowering {
  private static final BitSet NOTHING = new BitSet();

  private final Graph graph;
  private final Scope scope;
  private final LayerPatterns patterns;
  private final GraphWarnings warnings;
  private final DataFlow flow;

  Lowering(Graph graph, Scope scope, LayerPatterns patterns, GraphWarnings warnings) {
    this.warnings = warnings;
    this.graph = graph;
    this.scope = scope;
    this.patterns = patterns;
    flow = new DataFlow(graph.valueCount());
  }

  /** What was added so far. */
  DataFlow flow() {
    return flow;
  }

  /** All steps, once every node was added. */
  DataFlow finish() {
    for (int i = 0; i < graph.outputCount(); i++) {
      if (graph.output(i) != InternedNames.NONE) {
        flow.output(graph.output(i));
      }
    }
    return flow;
  }

  /** A node that runs subgraphs; what a called function only passes on is not written again. */
  void addNested(int index, Node node, Outcome outcome) {
    Crossing shared = outcome.shared();
    BitSet passed = new BitSet();
    shared
        .views()
        .forEach((output, input) -> {
          if (rename(node.output(output), node.input(input))) {
            passed.set(output);
          }
        });
    shared.copies().keySet().forEach(passed::set);
    Use use = flow.use(Kernel.CLOSED, index);
    use.running(outcome.body().kernels().times(outcome.times()), outcome.body().peak());
    describe(node, use, passed);
    shared.copies().forEach((output, first) -> rename(node.output(output), node.output(first)));
  }

  /** Gives a value the buffer of another; whether both are there at run time. */
  private boolean rename(int value, int original) {
    boolean both = isComputed(value) && isComputed(original);
    if (both) {
      flow.alias(value, original, bytes(scope.get(original)));
    }
    return both;
  }

  /** A node of which nothing is known but what it reads and writes. */
  void addUnknown(int index, Node node) {
    describe(node, flow.use(Kernel.CLOSED, index));
  }

  /** Bytes of a tensor that the model computes; none where its shape is not known. */
  static Amount bytes(TensorFact fact) {
    return fact.isConstant() ? Amount.ZERO : size(fact);
  }

  private static Amount size(TensorFact fact) {
    Shape shape = fact.shape();
    Amount bytes = shape == null ? Amount.UNKNOWN : shape.bytes(fact.type());
    return bytes.isKnown() ? bytes : Amount.ZERO;
  }

  /** A node of a known operator. */
  void add(int index, Node node, Operator operator, NodeView view) {
    boolean isView =
        operator.role() == Role.VIEW
            || (operator.role() == Role.LAYER && operator.kernel() == Kernel.NONE);
    if (isView && node.input(0) != InternedNames.NONE && node.output(0) != InternedNames.NONE) {
      int original = node.input(0);
      if (!scope.get(original).isConstant()) {
        flow.alias(node.output(0), original, bytes(scope.get(original)));
      }
    } else if (operator.kernel() != Kernel.NONE) {
      int layer = patterns.layer(index);
      Use use = flow.use(kernel(operator, layer, index), layer).launching(launches(operator, view));
      describe(node, operator.role() == Role.MOVEMENT ? use.choosing() : use);
    }
  }

  /** One, with a warning, if facts about the inputs contradict the operator. */
  private Amount launches(Operator operator, NodeView view) {
    try {
      return operator.launches().count(view);
    } catch (ShapeMismatch mismatch) {
      warnings.add(view.label() + ": " + mismatch.getMessage());
      return Amount.ONE;
    }
  }

  /** A layer of several nodes is a kernel of its own or, if an activation, pointwise. */
  private Kernel kernel(Operator operator, int layer, int index) {
    if (patterns.isNormalizationLayer(layer)) {
      return Kernel.CLOSED;
    }
    return layer == index ? operator.kernel() : Kernel.POINTWISE;
  }

  private void describe(Node node, Use use) {
    describe(node, use, NOTHING);
  }

  /** What a node reads and writes; one that computes nothing at run time does neither. */
  private void describe(Node node, Use use, BitSet passed) {
    if (!computes(node, passed)) {
      return;
    }
    for (int i = 0; i < node.readCount(); i++) {
      int input = node.read(i);
      TensorFact fact = scope.find(input);
      if (fact != null && fact.isConstant()) {
        use.readsConstant(size(fact));
      } else if (fact != null) {
        use.reads(input, bytes(fact));
      }
    }
    for (int i = 0; i < node.outputCount(); i++) {
      if (isComputed(node.output(i)) && !passed.get(i)) {
        use.writes(node.output(i), bytes(scope.get(node.output(i))));
      }
    }
    use.add();
  }

  private boolean computes(Node node, BitSet passed) {
    for (int i = 0; i < node.outputCount(); i++) {
      if (isComputed(node.output(i)) && !passed.get(i)) {
        return true;
      }
    }
    return false;
  }

  private boolean isComputed(int value) {
    return value != InternedNames.NONE && !scope.get(value).isConstant();
  }
}
