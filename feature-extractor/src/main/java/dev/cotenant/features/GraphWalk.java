package dev.cotenant.features;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Role;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.operator.OperatorTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Walks one graph in order, deriving what is known of each value and adding up what it costs. */
final class GraphWalk {
  /** What the PyTorch exporter calls a weight into which it folded a batch normalisation. */
  private static final Pattern FOLDED_WEIGHT = Pattern.compile("onnx::Conv_\\d+");

  private static final LayerCounts ONE_OTHER = new LayerCounts(0, 0, 0, 1);
  private static final OperatorTable OPERATORS = OperatorTable.standard();

  private final Extraction extraction;
  private final Graph graph;
  private final Scope scope;
  private final LayerPatterns patterns;
  private final LiveBytes live;
  private final ControlFlow control;
  private final Tally tally = new Tally();

  /** The scope already holds the graph's inputs. */
  GraphWalk(Extraction extraction, Graph graph, Scope scope) {
    this.extraction = extraction;
    this.graph = graph;
    this.scope = scope;
    patterns = new LayerPatterns(graph);
    live = new LiveBytes(graph);
    control = new ControlFlow(extraction, scope);
  }

  Tally run() {
    if (!extraction.mayStore(graph.initializers().size())) {
      return tally;
    }
    scope.storeInitializers(graph);
    graph.initializers().values().forEach(extraction.weights()::add);
    graph
        .duplicates()
        .forEach(name ->
            extraction.warnings().add("value " + name + " is produced twice; the first counts"));
    List<Node> nodes = graph.nodes();
    for (int i = 0; i < nodes.size() && extraction.mayVisit(); i++) {
      visit(i, nodes.get(i));
    }
    for (Node node : graph.unreachable()) {
      tally.addOperator();
      extraction.warnings().add(node.label() + " lies on a cycle and cannot run");
      Operator operator = OPERATORS.find(node.key());
      if (operator != null && operator.role() == Role.MATRIX) {
        tally.addUnknownMatrixNode();
      }
    }
    return tally;
  }

  /** What is known of the graph's outputs, once it was walked. */
  List<TensorFact> outputs() {
    return graph.outputs().stream().map(scope::get).toList();
  }

  private void visit(int index, Node node) {
    tally.addOperator();
    NodeView view =
        new NodeView(resolved(node), inputs(node), extraction.scale()).atOpset(extraction.opset());
    LocalFunction function = extraction.functions().get(node.key());
    Operator operator = OPERATORS.find(node.key());
    if (function != null) {
      store(node, control.call(function, node, view, tally, live.alive()));
    } else if (ControlFlow.handles(node)) {
      store(node, control.run(node, view, tally, live.alive()));
    } else if (operator != null) {
      apply(operator, view);
      store(node, outputs(node, view));
      count(index, node, operator, view);
    } else {
      extraction.warnings().add("operator " + node.key() + " is not known: " + node.label());
      store(node, outputs(node, view));
    }
    trackLife(node, operator);
  }

  private List<@Nullable TensorFact> inputs(Node node) {
    List<@Nullable TensorFact> facts = new ArrayList<>(node.inputs().size());
    for (String input : node.inputs()) {
      TensorFact fact = input.isEmpty() ? null : scope.find(input);
      if (fact == null && !input.isEmpty()) {
        extraction.warnings().add(node.label() + " reads " + input + ", which nothing produces");
        fact = TensorFact.unknown(ElementType.UNDEFINED);
      }
      facts.add(fact);
    }
    return facts;
  }

  /** Attributes of a function's nodes may stand for those of the call. */
  private Node resolved(Node node) {
    if (node.attributes().values().stream().noneMatch(each -> each.reference() != null)) {
      return node;
    }
    Map<String, Attribute> attributes = new HashMap<>();
    node.attributes()
        .forEach((name, attribute) -> {
          String reference = attribute.reference();
          Attribute given = reference == null ? attribute : scope.callAttributes().get(reference);
          if (given != null) {
            attributes.put(name, given.renamed(name));
          }
        });
    return new Node(
        node.name(), node.domain(), node.operator(), node.inputs(), node.outputs(), attributes);
  }

  private void apply(Operator operator, NodeView view) {
    try {
      operator.shape().apply(view);
    } catch (ShapeMismatch mismatch) {
      extraction.warnings().add(view.label() + ": " + mismatch.getMessage());
    }
  }

  private static List<TensorFact> outputs(Node node, NodeView view) {
    List<TensorFact> facts = new ArrayList<>(node.outputs().size());
    for (int i = 0; i < node.outputs().size(); i++) {
      TensorFact fact = view.output(i);
      facts.add(fact == null ? TensorFact.unknown(view.type(0)) : fact);
    }
    return facts;
  }

  /** Keeps what was derived; where that is nothing, what the model declares. */
  private void store(Node node, List<TensorFact> facts) {
    for (int i = 0; i < node.outputs().size(); i++) {
      String name = node.outputs().get(i);
      if (name.isEmpty() || graph.initializers().containsKey(name)) {
        continue;
      }
      TensorFact fact = i < facts.size() ? facts.get(i) : TensorFact.unknown(ElementType.UNDEFINED);
      ValueDeclaration declaration = graph.declaration(name);
      if (fact.isUnknown() && declaration != null) {
        fact = extraction.inputs().declared(declaration);
      }
      scope.put(name, fact);
    }
  }

  private void count(int index, Node node, Operator operator, NodeView view) {
    countWeights(node, operator, view);
    LayerCounts layers = operator.layers().count(view);
    if (!patterns.isPartOfActivation(index)) {
      tally.addLayers(layers);
    }
    boolean folded =
        node.operator().startsWith("Conv")
            && node.inputs().size() == 3
            && FOLDED_WEIGHT.matcher(node.inputs().get(1)).matches();
    if (folded || patterns.isNormalization(index)) {
      tally.addLayers(ONE_OTHER);
    }
    if (operator.role() == Role.MATRIX) {
      countMatrix(operator, view);
    } else {
      warnOfUnknownShape(node, view);
    }
    boolean computes =
        switch (operator.role()) {
          case MATRIX, LAYER, ARITHMETIC -> !patterns.isInner(index);
          case MOVEMENT, VIEW -> layers.total() > 0;
        };
    if (computes) {
      countActivation(node, operator);
    }
  }

  private void countWeights(Node node, Operator operator, NodeView view) {
    for (String name : List.of("value", "sparse_value")) {
      Attribute value = node.operator().equals("Constant") ? node.attributes().get(name) : null;
      if (value != null && value.tensor() != null) {
        extraction.weights().addConstant(value.tensor());
      }
    }
    boolean uses = operator.role() != Role.MOVEMENT && operator.role() != Role.VIEW;
    for (int i = 0; uses && i < view.inputCount(); i++) {
      TensorFact fact = view.input(i);
      StoredTensor generated = fact == null ? null : fact.generated();
      if (generated != null) {
        extraction.weights().addConstant(generated);
      }
    }
  }

  private void countMatrix(Operator operator, NodeView view) {
    long macs = Shape.UNKNOWN;
    try {
      macs = operator.macs().count(view);
    } catch (ShapeMismatch mismatch) {
      extraction.warnings().add(view.label() + ": " + mismatch.getMessage());
    }
    if (macs < 0) {
      tally.addUnknownMatrixNode();
      extraction
          .warnings()
          .add(view.label() + ": shapes are not known, its multiply-accumulates are not counted");
    } else {
      tally.addMatrixNode(macs);
    }
  }

  /** Names the first node of a chain whose shapes are lost. */
  private void warnOfUnknownShape(Node node, NodeView view) {
    if (node.outputs().isEmpty() || node.outputs().getFirst().isEmpty() || isKnown(node)) {
      return;
    }
    for (int i = 0; i < view.inputCount(); i++) {
      Shape shape = view.shape(i);
      if (view.has(i) && (shape == null || !shape.isKnown())) {
        return;
      }
    }
    extraction.warnings().add(node.label() + ": the shape of its output depends on the data");
  }

  private boolean isKnown(Node node) {
    TensorFact fact = scope.get(node.outputs().getFirst());
    Shape shape = fact.shape();
    return fact.sequence() != null || (shape != null && shape.isKnown());
  }

  private void countActivation(Node node, Operator operator) {
    for (String output : node.outputs()) {
      if (!output.isEmpty()) {
        TensorFact fact = scope.get(output);
        ElementType type = fact.type();
        boolean isActivation =
            operator.role() != Role.ARITHMETIC || type.isFloating() || type.isNarrowInteger();
        if (isActivation) {
          tally.addActivationBytes(bytes(fact));
        }
        return;
      }
    }
  }

  private long bytes(TensorFact fact) {
    Shape shape = fact.shape();
    long elements = shape == null ? Shape.UNKNOWN : extraction.scale().elements(shape);
    return fact.isConstant() || elements < 0 ? 0 : fact.type().bytes(elements);
  }

  private void trackLife(Node node, @Nullable Operator operator) {
    boolean isView = operator != null && operator.role() == Role.VIEW;
    for (String output : node.outputs()) {
      if (isView && !node.inputs().isEmpty()) {
        live.alias(output, node.inputs().getFirst());
      } else if (!output.isEmpty()) {
        live.allocate(output, bytes(scope.get(output)));
      }
    }
    tally.raisePeak(live.alive());
    live.finish(node);
  }
}
