package dev.cotenant.features;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.features.ControlFlow.Outcome;
import dev.cotenant.features.execution.DataFlow;
import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.Role;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.inference.Work;
import dev.cotenant.features.operator.OperatorTable;
import dev.cotenant.features.pattern.AttentionProducts;
import dev.cotenant.features.pattern.LayerPatterns;
import dev.cotenant.features.pattern.ValueIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Walks one graph in order, deriving what is known of each value and adding up what it costs. */
final class GraphWalk {
  /** What the PyTorch exporter calls a weight into which it folded a batch normalisation. */
  private static final Pattern FOLDED_WEIGHT = Pattern.compile("onnx::Conv_\\d+");

  private static final Pattern NORMALIZATION = Pattern.compile("Norm(alization)?$");
  private static final int WINOGRAD_RANK = 4;
  private static final int WINOGRAD_SIDE = 3;
  private static final LayerCounts ONE_OTHER = new LayerCounts(0, 0, 0, 1);
  private static final OperatorTable OPERATORS = StandardOperators.table();

  private final Extraction extraction;
  private final Graph graph;
  private final Scope scope;
  private final LayerPatterns patterns;
  private final AttentionProducts attention;
  private final Lowering lowering;
  private final ControlFlow control;
  private final Retention retention;
  private final Tally tally = new Tally();

  /** The scope already holds the graph's inputs. */
  GraphWalk(Extraction extraction, Graph graph, Scope scope) {
    this.extraction = extraction;
    this.graph = graph;
    this.scope = scope;
    ValueIndex values = new ValueIndex(graph);
    patterns = new LayerPatterns(graph, values);
    attention = new AttentionProducts(graph, values);
    lowering = new Lowering(graph, scope, patterns, extraction.warnings());
    control = new ControlFlow(extraction, scope);
    retention = new Retention(graph, scope, new Retention.Layers(patterns, attention));
  }

  Tally run() {
    visit();
    return finish();
  }

  /** Visits the body of the function that a node calls. */
  Crossing visitBodyOf(Node call) {
    visit();
    return Crossing.of(call, graph, lowering.flow());
  }

  private void visit() {
    scope.storeInitializers();
    graph.initializers().values().forEach(extraction.weights()::add);
    graph
        .duplicates()
        .forEach(name ->
            extraction.warnings().add("value " + name + " is produced twice; the first counts"));
    List<Node> nodes = graph.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      visit(i, nodes.get(i));
    }
    for (Node node : graph.unreachable()) {
      tally.addOperator();
      extraction.warnings().add(node.label() + " lies on a cycle and cannot run");
      if (mayMultiply(node)) {
        tally.addUnknownMatrixNode();
      }
    }
  }

  /** Totals over all visited nodes. */
  Tally finish() {
    DataFlow flow = lowering.finish();
    tally.addSavedBytes(flow.saved());
    retention.convolutions().forEach(tally::addConvolution);
    tally.finish(flow.kernels(), flow.peak());
    return tally;
  }

  /** Whether it is of the matrix class, has a body that may hold such nodes, or is not known. */
  private boolean mayMultiply(Node node) {
    Operator operator = OPERATORS.find(node.key());
    boolean hasBody = extraction.functions().containsKey(node.key()) || ControlFlow.handles(node);
    return hasBody || operator == null || operator.role() == Role.MATRIX;
  }

  /** What is known of the graph's outputs, once it was walked. */
  List<TensorFact> outputs() {
    return IntStream.range(0, graph.outputCount())
        .mapToObj(i -> scope.get(graph.output(i)))
        .toList();
  }

  private void visit(int index, Node node) {
    tally.addOperator();
    NodeView view =
        new NodeView(resolved(node), inputs(node), extraction.inputs().declaredBatch())
            .atOpset(extraction.opset());
    String key = node.key();
    LocalFunction function = extraction.functions().get(key);
    Operator operator = OPERATORS.find(key);
    if (function != null) {
      nest(index, node, control.call(function, node, view));
    } else if (ControlFlow.handles(node)) {
      nest(index, node, control.run(node, view));
    } else if (operator != null) {
      apply(operator, view);
      store(node, outputs(node, view));
      count(index, node, operator, view);
      lowering.add(index, node, operator, view);
      retention.add(index, node, operator, lowering.flow());
    } else {
      // It may well multiply matrices: no silent zero.
      tally.addUnknownMatrixNode();
      extraction.warnings().add("operator " + node.key() + " is not known: " + node.label());
      store(node, outputs(node, view));
      lowering.addUnknown(index, node);
    }
  }

  private void nest(int index, Node node, Outcome outcome) {
    store(node, outcome.outputs());
    tally.addBody(outcome.body(), outcome.times());
    lowering.addNested(index, node, outcome);
    retention.addCalled(node, outcome.shared(), lowering.flow());
  }

  private @Nullable TensorFact[] inputs(Node node) {
    @Nullable TensorFact[] facts = new TensorFact[node.inputCount()];
    for (int i = 0; i < facts.length; i++) {
      int input = node.input(i);
      TensorFact fact = scope.find(input);
      facts[i] = fact == null ? null : extraction.visible(fact);
      if (fact == null && input != InternedNames.NONE) {
        String name = graph.valueName(input);
        extraction.warnings().add(node.label() + " reads " + name + ", which nothing produces");
        facts[i] = TensorFact.unknown(ElementType.UNDEFINED);
      }
    }
    return facts;
  }

  /** Resolves attribute references of a function's nodes to the call's attributes. */
  private Node resolved(Node node) {
    return node.attributes().hasReference()
        ? node.with(node.attributes().resolved(scope.callAttributes()))
        : node;
  }

  private void apply(Operator operator, NodeView view) {
    try {
      operator.shape().apply(view);
    } catch (ShapeMismatch mismatch) {
      extraction.warnings().add(view.label() + ": " + mismatch.getMessage());
    }
  }

  private static List<TensorFact> outputs(Node node, NodeView view) {
    List<TensorFact> facts = new ArrayList<>(node.outputCount());
    for (int i = 0; i < node.outputCount(); i++) {
      TensorFact fact = view.output(i);
      facts.add(fact == null ? TensorFact.unknown(view.type(0)) : fact);
    }
    return facts;
  }

  /** Stores derived facts, or the model's declarations if nothing was derived. */
  private void store(Node node, List<TensorFact> facts) {
    for (int i = 0; i < node.outputCount(); i++) {
      int value = node.output(i);
      if (value == InternedNames.NONE || graph.isStored(value)) {
        continue;
      }
      TensorFact fact = i < facts.size() ? facts.get(i) : TensorFact.unknown(ElementType.UNDEFINED);
      ValueDeclaration declaration = graph.declaration(value);
      if (fact.isUnknown() && declaration != null) {
        fact = extraction.inputs().declared(declaration);
      }
      scope.put(value, extraction.retained(fact));
    }
  }

  private void count(int index, Node node, Operator operator, NodeView view) {
    countWeights(node, operator, view);
    LayerCounts layers = operator.layers().count(view);
    if (!patterns.isPartOfActivation(index)) {
      tally.addLayers(layers);
    }
    if (hidesNormalization(graph, node) || patterns.isNormalization(index)) {
      tally.addLayers(ONE_OTHER);
      tally.addNormalization();
    } else if (layers.other() > 0 && NORMALIZATION.matcher(node.operator()).find()) {
      tally.addNormalization();
    }
    if (operator.role() == Role.MATRIX) {
      countMatrix(index, operator, view);
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

  /** Whether a convolution's weights hold a batch normalisation that followed it in training. */
  static boolean hidesNormalization(Graph graph, Node node) {
    return node.operator().startsWith("Conv")
        && node.inputCount() == 3
        && node.input(1) != InternedNames.NONE
        && FOLDED_WEIGHT.matcher(graph.valueName(node.input(1))).matches();
  }

  private void countWeights(Node node, Operator operator, NodeView view) {
    if (node.operator().equals("Constant")) {
      addConstant(node.attributes().find("value"));
      addConstant(node.attributes().find("sparse_value"));
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

  private void addConstant(@Nullable Attribute value) {
    if (value != null && value.tensor() != null) {
      extraction.weights().addConstant(value.tensor());
    }
  }

  private void countMatrix(int index, Operator operator, NodeView view) {
    Work work = Work.of(WorkClass.MATRIX_PRODUCT, Amount.UNKNOWN);
    try {
      work = operator.work().count(view);
    } catch (ShapeMismatch mismatch) {
      extraction.warnings().add(view.label() + ": " + mismatch.getMessage());
    }
    if (work.isKnown()) {
      tally.addMatrixNode(attention.contain(index) ? work.asAttention() : work);
      countMatrixOutputs(view);
      if (isWinograd(view)) {
        tally.addWinogradWork(work.byClass().getOrDefault(WorkClass.CONVOLUTION, Amount.ZERO));
      }
    } else {
      tally.addUnknownMatrixNode();
      extraction
          .warnings()
          .add(view.label() + ": shapes are not known, its multiply-accumulates are not counted");
    }
  }

  private void countMatrixOutputs(NodeView view) {
    TensorFact output = view.output(0);
    Amount elements = output == null ? Amount.UNKNOWN : Amount.elements(output.shape());
    if (elements.isKnown()) {
      tally.addMatrixOutputs(elements);
    }
  }

  /** Whether it is a 3×3 convolution of stride and dilation 1. */
  private static boolean isWinograd(NodeView view) {
    Shape weight = view.shape(1);
    return weight != null
        && weight.rank() == WINOGRAD_RANK
        && weight.extent(2) == WINOGRAD_SIDE
        && weight.extent(3) == WINOGRAD_SIDE
        && isOnes(view.integers("strides"))
        && isOnes(view.integers("dilations"));
  }

  private static boolean isOnes(long @Nullable [] extents) {
    return extents == null || Arrays.stream(extents).allMatch(extent -> extent == 1);
  }

  /** Names the first node of a chain whose shapes are lost. */
  private void warnOfUnknownShape(Node node, NodeView view) {
    if (node.output(0) == InternedNames.NONE || isKnown(node)) {
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
    TensorFact fact = scope.get(node.output(0));
    Shape shape = fact.shape();
    return fact.sequence() != null || (shape != null && shape.isKnown());
  }

  private void countActivation(Node node, Operator operator) {
    for (int i = 0; i < node.outputCount(); i++) {
      int output = node.output(i);
      if (output != InternedNames.NONE) {
        TensorFact fact = scope.get(output);
        ElementType type = fact.type();
        boolean isActivation =
            operator.role() != Role.ARITHMETIC || type.isFloating() || type.isNarrowInteger();
        if (isActivation) {
          tally.addActivationBytes(Lowering.bytes(fact));
        }
        return;
      }
    }
  }
}
