package dev.cotenant.features.pattern;

import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Finds the two products of attention where it is exported as several nodes: scores come into a
 * softmax through a scaling and a mask, and its weights go out to the product with the values. A
 * bounded number of steps around each softmax.
 */
public final class AttentionProducts {
  private static final Set<String> PRODUCTS =
      Set.of("MatMul", "Einsum", "FusedMatMul", "MatMulInteger", "QLinearMatMul");

  /** What may lie between a product and the softmax. */
  private static final Set<String> BETWEEN =
      Set.of(
          "Add",
          "Cast",
          "Clip",
          "DequantizeLinear",
          "Div",
          "Dropout",
          "Identity",
          "Mul",
          "QuantizeLinear",
          "Reshape",
          "Squeeze",
          "Sub",
          "Tanh",
          "Transpose",
          "Unsqueeze",
          "Where");

  private static final int MAX_STEPS = 16;

  private final List<Node> nodes;
  private final ValueIndex values;
  private final BitSet products = new BitSet();
  private final BitSet fused = new BitSet();
  private final BitSet weights = new BitSet();

  public AttentionProducts(Graph graph, ValueIndex values) {
    nodes = graph.nodes();
    this.values = values;
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.get(i).operator().equals("Softmax")) {
        markScores(i);
        weights.set(i, isWeighting(nodes.get(i)));
      }
    }
  }

  /**
   * Whether a node computes scores or their softmax inside of a fused attention, which keeps
   * neither. The PyTorch exporter writes {@code scaled_dot_product_attention} with queries and keys
   * scaled both, before the product; what a model writes out by itself scales one of them or the
   * scores.
   */
  public boolean isInsideFused(int node) {
    return fused.get(node);
  }

  /** Whether a node is the softmax of an attention that is written out. */
  public boolean isWrittenOutSoftmax(int node) {
    return weights.get(node) && !fused.get(node);
  }

  /** Whether a node is one of the two products. */
  public boolean contain(int node) {
    return products.get(node);
  }

  private void markScores(int softmax) {
    Deque<Node> open = new ArrayDeque<>(List.of(nodes.get(softmax)));
    BitSet inside = new BitSet();
    inside.set(softmax);
    boolean isFused = false;
    for (int steps = 0; steps < MAX_STEPS && !open.isEmpty(); steps++) {
      Node next = open.remove();
      for (int i = 0; i < Math.min(3, next.inputCount()); i++) {
        int producer = values.producer(next.input(i));
        if (producer != ValueIndex.NONE) {
          markOrFollow(producer, open);
          inside.set(producer, isProductOrBetween(producer));
          isFused |= scalesBothFactors(producer);
        }
      }
    }
    if (isFused) {
      fused.or(inside);
    }
  }

  private boolean isProductOrBetween(int node) {
    String operator = nodes.get(node).operator();
    return PRODUCTS.contains(operator) || BETWEEN.contains(operator);
  }

  private boolean scalesBothFactors(int node) {
    Node product = nodes.get(node);
    return product.operator().equals("MatMul")
        && product.inputCount() == 2
        && isScaled(product.input(0))
        && isScaled(product.input(1));
  }

  private boolean isScaled(int value) {
    int scaling = values.producer(value, "Mul");
    return scaling != ValueIndex.NONE && values.isReadOnce(scaling);
  }

  private void markOrFollow(int node, Deque<Node> open) {
    if (PRODUCTS.contains(nodes.get(node).operator())) {
      products.set(node);
    } else if (BETWEEN.contains(nodes.get(node).operator())) {
      open.add(nodes.get(node));
    }
  }

  /** Whether a softmax leads to a product, which is marked. */
  private boolean isWeighting(Node softmax) {
    int before = products.cardinality();
    Deque<Node> open = new ArrayDeque<>(List.of(softmax));
    for (int steps = 0; steps < MAX_STEPS && !open.isEmpty(); steps++) {
      int reader = values.reader(open.remove().output(0));
      if (reader != ValueIndex.NONE) {
        markOrFollow(reader, open);
      }
    }
    return products.cardinality() > before;
  }
}
