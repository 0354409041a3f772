package dev.cotenant.features;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Layers that exporters write as several nodes: GELU, SiLU, hard-swish, Mish and normalisation.
 *
 * <p>Their inner nodes are not layers and their outputs no layer outputs; the last one's is. GELU
 * is x·(1 + erf(x/√2))/2 or its tanh form [Hendrycks, Gimpel 2016], normalisation (x − mean)/√(var
 * + ε) with an optional weight and bias. One pass over the nodes, constant work a match.
 */
final class LayerPatterns {
  private static final int NONE = ValueIndex.NONE;
  private static final Set<String> SEEDS =
      Set.of("Erf", "Tanh", "Sigmoid", "HardSigmoid", "Clip", "Sqrt");

  private final List<Node> nodes;
  private final Graph graph;
  private final ValueIndex values;
  private final BitSet inner = new BitSet();
  private final BitSet normalizations = new BitSet();
  private final BitSet partOfActivation = new BitSet();
  private final BitSet normalizationEnds = new BitSet();
  private int[] layers = {};

  LayerPatterns(Graph graph, ValueIndex values) {
    this.graph = graph;
    this.values = values;
    nodes = graph.nodes();
    if (nodes.stream().anyMatch(node -> SEEDS.contains(node.operator()))) {
      for (int i = 0; i < nodes.size(); i++) {
        match(i);
      }
      numberLayers();
    }
  }

  /** An inner node's output is read in its own layer, so the last node can stand for all. */
  private void numberLayers() {
    layers = new int[nodes.size()];
    for (int i = layers.length - 1; i >= 0; i--) {
      List<String> outputs = nodes.get(i).outputs();
      boolean isLast = !inner.get(i) || outputs.isEmpty();
      int reader = isLast ? NONE : values.reader(outputs.getFirst());
      layers[i] = reader > i ? layers[reader] : i;
      if (normalizations.get(i)) {
        normalizationEnds.set(layers[i]);
      }
    }
  }

  /** A number that the nodes of a layer have in common; its own for every other node. */
  int layer(int node) {
    return layers.length == 0 ? node : layers[node];
  }

  /** Whether the nodes with that number are a normalisation together. */
  boolean isNormalizationLayer(int layer) {
    return normalizationEnds.get(layer);
  }

  /** Whether a node's output is inside of a layer. */
  boolean isInner(int node) {
    return inner.get(node);
  }

  /** Whether a node stands for a whole normalisation. */
  boolean isNormalization(int node) {
    return normalizations.get(node);
  }

  /** Whether a node is an activation by name but part of another here. */
  boolean isPartOfActivation(int node) {
    return partOfActivation.get(node);
  }

  private void match(int node) {
    switch (nodes.get(node).operator()) {
      case "Erf", "Tanh" -> matchGelu(node);
      case "Sigmoid", "HardSigmoid" -> matchGate(node, input(node, 0));
      case "Clip" -> matchHardSwish(node);
      case "Sqrt" -> matchNormalization(node);
      default -> {}
    }
  }

  private void matchGelu(int core) {
    int one = onlyReader(core, "Add");
    int product = one == NONE ? NONE : onlyReader(one, "Mul");
    if (product == NONE) {
      if (is(core, "Tanh")) {
        matchMish(core);
      }
      return;
    }
    int last = product;
    int half = onlyReader(product, "Mul");
    if (half != NONE && (isNumber(input(half, 0)) || isNumber(input(half, 1)))) {
      last = half;
    }
    inner.set(core);
    inner.set(one);
    if (last != product) {
      inner.set(product);
    }
    for (String side : nodes.get(product).inputs()) {
      int scaled = producerOf(side, "Mul");
      boolean halves = scaled != NONE && (isNumber(input(scaled, 0)) || isNumber(input(scaled, 1)));
      if (halves && isReadOnce(scaled)) {
        inner.set(scaled);
      }
    }
    markScaling(input(core, 0), 4);
  }

  /** What leads to erf or tanh: a scaling, or a scaled cubic. */
  private void markScaling(@Nullable String value, int steps) {
    int node = value == null || steps == 0 ? NONE : values.producer(value);
    if (node == NONE || inner.get(node)) {
      return;
    }
    Node found = nodes.get(node);
    boolean scales =
        switch (found.operator()) {
          case "Mul", "Div" -> isNumber(input(node, 0)) || isNumber(input(node, 1));
          case "Add" -> steps < 4 && hasScaledInput(found);
          case "Pow" -> true;
          default -> false;
        };
    if (scales && isReadOnce(node)) {
      inner.set(node);
      found.inputs().forEach(input -> markScaling(input, steps - 1));
    }
  }

  private boolean hasScaledInput(Node node) {
    return node.inputs().stream().anyMatch(input -> producerOf(input, "Mul") != NONE);
  }

  private void matchMish(int tanh) {
    int softplus = producerOf(input(tanh, 0), "Softplus");
    if (softplus != NONE && matchGate(tanh, input(softplus, 0))) {
      inner.set(softplus);
      partOfActivation.set(softplus);
    }
  }

  /** A product of a value and its own gate: SiLU, hard-swish, Mish. */
  private boolean matchGate(int gate, @Nullable String gated) {
    int product = onlyReader(gate, "Mul");
    if (product == NONE || gated == null) {
      return false;
    }
    List<String> factors = nodes.get(product).inputs();
    if (factors.size() == 2 && factors.contains(gated)) {
      inner.set(gate);
      return true;
    }
    return false;
  }

  private void matchHardSwish(int clip) {
    int shifted = producerOf(input(clip, 0), "Add");
    if (shifted == NONE) {
      return;
    }
    int scaled = onlyReader(clip, "Div");
    int gate = scaled == NONE ? clip : scaled;
    int product = onlyReader(gate, "Mul");
    List<String> shiftedInputs = nodes.get(shifted).inputs();
    boolean own =
        product != NONE
            && shiftedInputs.size() == 2
            && nodes.get(product).inputs().stream().anyMatch(shiftedInputs::contains);
    if (isReadOnce(shifted)) {
      inner.set(shifted);
    }
    if (!own) {
      if (scaled != NONE) {
        inner.set(clip);
      }
      return;
    }
    inner.set(clip);
    if (scaled != NONE) {
      inner.set(scaled);
    } else if (onlyReader(product, "Div") != NONE) {
      inner.set(product);
    }
  }

  private void matchNormalization(int root) {
    int epsilon = producerOf(input(root, 0), "Add");
    int variance =
        epsilon == NONE ? NONE : producerOfAny(nodes.get(epsilon).inputs(), "ReduceMean");
    int square = variance == NONE ? NONE : producerBehindCast(input(variance, 0));
    if (square == NONE || !(is(square, "Pow") || is(square, "Mul"))) {
      return;
    }
    int centred = producerBehindCast(input(square, 0));
    boolean isCentred = centred != NONE && is(centred, "Sub");
    int mean = isCentred ? producerOf(input(centred, 1), "ReduceMean") : NONE;
    int quotient = onlyReader(root, "Div");
    int reciprocal = quotient == NONE ? onlyReader(root, "Reciprocal") : NONE;
    int last = quotient != NONE ? quotient : reciprocal;
    if (last == NONE) {
      return;
    }
    normalizations.set(root);
    mark(root, epsilon, variance, square, mean);
    if (isCentred) {
      inner.set(centred);
    }
    markTail(last, isCentred);
  }

  private void mark(int... each) {
    for (int node : each) {
      if (node != NONE) {
        inner.set(node);
      }
    }
  }

  /** The weight and bias that follow; without a mean also the product with the value itself. */
  private void markTail(int quotient, boolean isCentred) {
    int last = quotient;
    int next = onlyReader(last, "Mul");
    if (!isCentred && next != NONE && !isStored(nodes.get(next))) {
      inner.set(last);
      last = next;
      next = onlyReader(last, "Mul");
    }
    if (next != NONE && isStored(nodes.get(next))) {
      inner.set(last);
      last = next;
      next = onlyReader(last, "Add");
      if (next != NONE && isStored(nodes.get(next))) {
        inner.set(last);
      }
    }
  }

  private boolean isStored(Node node) {
    return node.inputs().stream().anyMatch(this::isNumber);
  }

  /** Stored in the model, as far as its name or its producer shows. */
  private boolean isNumber(@Nullable String value) {
    if (value == null) {
      return false;
    }
    int producer = values.producer(value);
    if (producer == NONE) {
      return graph.initializers().containsKey(value);
    }
    Node node = nodes.get(producer);
    boolean copies = node.operator().equals("Identity") && !node.inputs().isEmpty();
    return node.operator().equals("Constant")
        || (copies && graph.initializers().containsKey(node.inputs().getFirst()));
  }

  private boolean is(int node, String operator) {
    return nodes.get(node).operator().equals(operator);
  }

  private @Nullable String input(int node, int index) {
    List<String> inputs = nodes.get(node).inputs();
    return index < inputs.size() ? inputs.get(index) : null;
  }

  private int producerOf(@Nullable String value, String operator) {
    int node = value == null ? NONE : values.producer(value);
    return node != NONE && is(node, operator) ? node : NONE;
  }

  private int producerOfAny(List<String> values, String operator) {
    return values.stream()
        .mapToInt(value -> producerOf(value, operator))
        .filter(node -> node != NONE)
        .findFirst()
        .orElse(NONE);
  }

  private int producerBehindCast(@Nullable String value) {
    int cast = producerOf(value, "Cast");
    String source = cast == NONE ? value : input(cast, 0);
    return source == null ? NONE : values.producer(source);
  }

  private boolean isReadOnce(int node) {
    List<String> outputs = nodes.get(node).outputs();
    return !outputs.isEmpty() && values.readers(outputs.getFirst()) == 1;
  }

  private int onlyReader(int node, String operator) {
    if (!isReadOnce(node)) {
      return NONE;
    }
    int reader = values.reader(nodes.get(node).outputs().getFirst());
    return reader != NONE && is(reader, operator) ? reader : NONE;
  }
}
