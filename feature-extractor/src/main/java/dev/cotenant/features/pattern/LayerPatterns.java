package dev.cotenant.features.pattern;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.InternedNames;
import dev.cotenant.features.graph.Node;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Layers that exporters write as several nodes: GELU, SiLU, hard-swish, Mish and normalisation.
 *
 * <p>Their inner nodes are not layers and their outputs no layer outputs; the last one's is. GELU
 * is x·(1 + erf(x/√2))/2 or its tanh form [Hendrycks, Gimpel 2016], normalisation (x − mean)/√(var
 * + ε) with an optional weight and bias. One pass over the nodes, constant work a match.
 */
public final class LayerPatterns {
  private static final int NONE = ValueIndex.NONE;

  /** Inputs that the nodes of a pattern have at most; of more only the first are looked at. */
  private static final int OPERANDS = 3;

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

  public LayerPatterns(Graph graph, ValueIndex values) {
    this.graph = graph;
    this.values = values;
    nodes = graph.nodes();
    boolean matched = false;
    for (int i = 0; i < nodes.size(); i++) {
      if (SEEDS.contains(nodes.get(i).operator())) {
        match(i);
        matched = true;
      }
    }
    if (matched) {
      numberLayers();
    }
  }

  /** An inner node's output is read in its own layer, so the last node can stand for all. */
  private void numberLayers() {
    layers = new int[nodes.size()];
    for (int i = layers.length - 1; i >= 0; i--) {
      int reader = inner.get(i) ? values.reader(nodes.get(i).output(0)) : NONE;
      layers[i] = reader > i ? layers[reader] : i;
      if (normalizations.get(i)) {
        normalizationEnds.set(layers[i]);
      }
    }
  }

  /** Number shared by the nodes of a layer; unique for every other node. */
  public int layer(int node) {
    return layers.length == 0 ? node : layers[node];
  }

  /** Whether the nodes with that number are a normalisation together. */
  public boolean isNormalizationLayer(int layer) {
    return normalizationEnds.get(layer);
  }

  /** Whether a node's output is inside of a layer. */
  public boolean isInner(int node) {
    return inner.get(node);
  }

  /** Whether a node stands for a whole normalisation. */
  public boolean isNormalization(int node) {
    return normalizations.get(node);
  }

  /** Whether a node is an activation by name but part of another here. */
  public boolean isPartOfActivation(int node) {
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
    int one = values.onlyReader(core, "Add");
    int product = one == NONE ? NONE : values.onlyReader(one, "Mul");
    if (product == NONE) {
      if (values.is(core, "Tanh")) {
        matchMish(core);
      }
      return;
    }
    int last = product;
    int half = values.onlyReader(product, "Mul");
    if (half != NONE && (isNumber(input(half, 0)) || isNumber(input(half, 1)))) {
      last = half;
    }
    inner.set(core);
    inner.set(one);
    if (last != product) {
      inner.set(product);
    }
    Node sides = nodes.get(product);
    for (int i = 0; i < Math.min(OPERANDS, sides.inputCount()); i++) {
      int scaled = values.producer(sides.input(i), "Mul");
      boolean halves = scaled != NONE && (isNumber(input(scaled, 0)) || isNumber(input(scaled, 1)));
      if (halves && values.isReadOnce(scaled)) {
        inner.set(scaled);
      }
    }
    markScaling(input(core, 0), 4);
  }

  /** What leads to erf or tanh: a scaling, or a scaled cubic. */
  private void markScaling(int value, int steps) {
    int node = steps == 0 ? NONE : values.producer(value);
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
    if (scales && values.isReadOnce(node)) {
      inner.set(node);
      for (int i = 0; i < Math.min(OPERANDS, found.inputCount()); i++) {
        markScaling(found.input(i), steps - 1);
      }
    }
  }

  private boolean hasScaledInput(Node node) {
    return inputs(node).anyMatch(input -> values.producer(input, "Mul") != NONE);
  }

  private void matchMish(int tanh) {
    int softplus = values.producer(input(tanh, 0), "Softplus");
    if (softplus != NONE && matchGate(tanh, input(softplus, 0))) {
      inner.set(softplus);
      partOfActivation.set(softplus);
    }
  }

  /** A product of a value and its own gate: SiLU, hard-swish, Mish. */
  private boolean matchGate(int gate, int gated) {
    int product = values.onlyReader(gate, "Mul");
    if (product == NONE || gated == InternedNames.NONE) {
      return false;
    }
    Node factors = nodes.get(product);
    if (factors.inputCount() == 2 && reads(factors, gated)) {
      inner.set(gate);
      return true;
    }
    return false;
  }

  private void matchHardSwish(int clip) {
    int shifted = values.producer(input(clip, 0), "Add");
    if (shifted == NONE) {
      return;
    }
    int scaled = values.onlyReader(clip, "Div");
    int gate = scaled == NONE ? clip : scaled;
    int product = values.onlyReader(gate, "Mul");
    Node sum = nodes.get(shifted);
    boolean own =
        product != NONE
            && sum.inputCount() == 2
            && inputs(nodes.get(product)).anyMatch(input -> reads(sum, input));
    if (values.isReadOnce(shifted)) {
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
    } else if (values.onlyReader(product, "Div") != NONE) {
      inner.set(product);
    }
  }

  private void matchNormalization(int root) {
    int epsilon = values.producer(input(root, 0), "Add");
    int variance = epsilon == NONE ? NONE : producerOfAny(nodes.get(epsilon), "ReduceMean");
    int square = variance == NONE ? NONE : producerBehindCast(input(variance, 0));
    if (square == NONE || !(values.is(square, "Pow") || values.is(square, "Mul"))) {
      return;
    }
    int centred = producerBehindCast(input(square, 0));
    boolean isCentred = centred != NONE && values.is(centred, "Sub");
    int mean = isCentred ? values.producer(input(centred, 1), "ReduceMean") : NONE;
    int quotient = values.onlyReader(root, "Div");
    int reciprocal = quotient == NONE ? values.onlyReader(root, "Reciprocal") : NONE;
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
    int next = values.onlyReader(last, "Mul");
    if (!isCentred && next != NONE && !isStored(nodes.get(next))) {
      inner.set(last);
      last = next;
      next = values.onlyReader(last, "Mul");
    }
    if (next != NONE && isStored(nodes.get(next))) {
      inner.set(last);
      last = next;
      next = values.onlyReader(last, "Add");
      if (next != NONE && isStored(nodes.get(next))) {
        inner.set(last);
      }
    }
  }

  private boolean isStored(Node node) {
    return inputs(node).anyMatch(this::isNumber);
  }

  private static IntStream inputs(Node node) {
    return IntStream.range(0, Math.min(OPERANDS, node.inputCount())).map(node::input);
  }

  private static boolean reads(Node node, int value) {
    return value != InternedNames.NONE && inputs(node).anyMatch(input -> input == value);
  }

  /** Stored in the model, as far as its value or its producer shows. */
  private boolean isNumber(int value) {
    int producer = values.producer(value);
    if (producer == NONE) {
      return graph.isStored(value);
    }
    Node node = nodes.get(producer);
    return node.operator().equals("Constant")
        || (node.operator().equals("Identity") && graph.isStored(node.input(0)));
  }

  private int input(int node, int index) {
    return nodes.get(node).input(index);
  }

  private int producerOfAny(Node node, String operator) {
    return inputs(node)
        .map(value -> values.producer(value, operator))
        .filter(producer -> producer != NONE)
        .findFirst()
        .orElse(NONE);
  }

  private int producerBehindCast(int value) {
    int cast = values.producer(value, "Cast");
    return values.producer(cast == NONE ? value : input(cast, 0));
  }
}
