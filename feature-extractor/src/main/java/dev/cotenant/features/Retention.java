package dev.cotenant.features;

import dev.cotenant.features.execution.DataFlow;
import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Role;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.pattern.AttentionProducts;
import dev.cotenant.features.pattern.LayerPatterns;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * Which tensors training keeps from the forward to the backward pass, by the derivatives of PyTorch
 * (tools/autograd/derivatives.yaml), and how large its convolutions are.
 *
 * <p>A product keeps its factors, a normalisation, a pooling and most activations their input, an
 * activation whose slope follows from its value its output; sums, views, copies and products with
 * one number keep nothing. A ReLU that works in place therefore costs nothing beside the
 * normalisation before it, and SiLU or ReLU6 do. Maxima keep where they were, 8 bytes each. An
 * attention that is written out drops some of its weights in training, which a graph for inference
 * does not show: the product keeps the dropped weights beside those that the softmax keeps.
 */
final class Retention {
  /** The slope follows from the value. */
  private static final Set<String> BY_OUTPUT =
      Set.of("Relu", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Exp", "Sqrt", "Reciprocal");

  private static final Set<String> BY_INPUT =
      Set.of("Mul", "Div", "Pow", "Erf", "Log", "Abs", "Sin", "Cos", "Einsum", "Max", "Min");

  /** Layers whose slope depends on nothing but extents. */
  private static final Set<String> BY_NOTHING =
      Set.of("GlobalAveragePool", "Dropout", "Gather", "ReduceMean", "ReduceSum");

  private static final long INDEX_PER_ELEMENT = 2;

  private final Graph graph;
  private final Scope scope;
  private final Layers layers;

  /** Values between the nodes of one layer, which runs as one. */
  private final BitSet inner = new BitSet();

  private final List<Amount> convolutions = new ArrayList<>();

  /** What belongs together. */
  record Layers(LayerPatterns patterns, AttentionProducts attention) {
    boolean hides(int node) {
      return patterns.isInner(node) || attention.isInsideFused(node);
    }
  }

  Retention(Graph graph, Scope scope, Layers layers) {
    this.graph = graph;
    this.scope = scope;
    this.layers = layers;
  }

  /** Bytes that each convolution with workspaces reads and writes. */
  List<Amount> convolutions() {
    return convolutions;
  }

  /** A node, once what it computes is known and lowered. */
  void add(int index, Node node, Operator operator, DataFlow flow) {
    boolean isInner = layers.hides(index);
    if (isInner) {
      for (int i = 0; i < node.outputCount(); i++) {
        if (node.output(i) != InternedNames.NONE) {
          inner.set(node.output(i));
        }
      }
    }
    if (keepsOutput(node) && !isInner) {
      keep(node.output(0), flow);
    } else if (keepsInputs(node, operator) || (isInner && operator.role() == Role.ARITHMETIC)) {
      for (int i = 0; i < node.inputCount(); i++) {
        keep(node.input(i), flow);
      }
    }
    addHidden(node, flow);
    if (layers.attention().isWrittenOutSoftmax(index)) {
      flow.saveUnnamed(size(node.output(0)));
    }
  }

  /** A call of a function whose body saves some of its inputs and outputs. */
  void addCalled(Node call, Crossing shared, DataFlow flow) {
    shared.savedInputs().stream().forEach(i -> keep(call.input(i), flow));
    shared.savedOutputs().stream().forEach(i -> keep(call.output(i), flow));
  }

  private static boolean keepsOutput(Node node) {
    return BY_OUTPUT.contains(node.operator());
  }

  private boolean keepsInputs(Node node, Operator operator) {
    return switch (operator.role()) {
      case MATRIX -> true;
      case LAYER -> !BY_NOTHING.contains(node.operator());
      case ARITHMETIC -> BY_INPUT.contains(node.operator()) && !isScaling(node);
      case MOVEMENT, VIEW -> false;
    };
  }

  /** A product with a number that is no weight, or a quotient by one. */
  private boolean isScaling(Node node) {
    return switch (node.operator()) {
      case "Mul" -> isNumber(node, 0) || isNumber(node, 1);
      case "Div" -> isNumber(node, 1);
      default -> false;
    };
  }

  private boolean isNumber(Node node, int input) {
    TensorFact fact = input < node.inputCount() ? scope.find(node.input(input)) : null;
    return fact != null && fact.isConstant() && isSingle(fact);
  }

  private static boolean isSingle(TensorFact fact) {
    return fact.shape() != null && fact.shape().isKnown() && fact.shape().elements() == 1;
  }

  /** What the graph does not show: a folded normalisation's input, where maxima were. */
  private void addHidden(Node node, DataFlow flow) {
    if (node.outputCount() == 0 || node.output(0) == InternedNames.NONE) {
      return;
    }
    if (node.operator().startsWith("Conv")) {
      if (isWideAndDense(node)) {
        convolutions.add(size(node.input(0)).plus(size(node.output(0))));
      }
      if (GraphWalk.hidesNormalization(graph, node)) {
        flow.saveUnnamed(size(node.output(0)));
        flow.passUnnamed(size(node.output(0)));
      }
    } else if (node.operator().equals("MaxPool")) {
      flow.saveUnnamed(size(node.output(0)).times(INDEX_PER_ELEMENT));
    }
  }

  /** Neither 1×1 nor of separate channels: its algorithms transform inputs in workspaces. */
  private boolean isWideAndDense(Node node) {
    TensorFact weight = node.inputCount() < 2 ? null : scope.find(node.input(1));
    Shape shape = weight == null ? null : weight.shape();
    boolean isWide =
        shape != null && shape.isKnown() && shape.rank() > 2 && shape.elements() > points(shape);
    Attribute group = node.attributes().find("group");
    return isWide && (group == null || group.integer() == 1);
  }

  private static long points(Shape weight) {
    return weight.extent(0) * weight.extent(1);
  }

  private void keep(int value, DataFlow flow) {
    if (value == InternedNames.NONE || inner.get(value)) {
      return;
    }
    TensorFact fact = scope.find(value);
    if (fact != null && !fact.isConstant() && fact.type().isFloating()) {
      flow.save(value, Lowering.bytes(fact));
    }
  }

  private Amount size(int value) {
    TensorFact fact = value == InternedNames.NONE ? null : scope.find(value);
    return fact == null ? Amount.ZERO : Lowering.bytes(fact);
  }
}
