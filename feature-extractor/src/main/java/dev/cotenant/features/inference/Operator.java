package dev.cotenant.features.inference;

import dev.cotenant.domain.graph.LayerCounts;

/**
 * What is known about one operator.
 *
 * @param role what its nodes are counted as
 * @param shape derives the outputs
 * @param macs counts multiply-accumulates at the wanted batch
 * @param layers counts layers in the module view
 */
public record Operator(Role role, ShapeRule shape, MacRule macs, LayerRule layers) {
  private static final ShapeRule NOTHING = node -> {};
  private static final LayerCounts NO_LAYERS = new LayerCounts(0, 0, 0, 0);
  private static final LayerCounts ONE_CONVOLUTION = new LayerCounts(1, 0, 0, 0);
  private static final LayerCounts ONE_LINEAR = new LayerCounts(0, 1, 0, 0);
  private static final LayerCounts ONE_ACTIVATION = new LayerCounts(0, 0, 1, 0);
  private static final LayerCounts ONE_OTHER = new LayerCounts(0, 0, 0, 1);

  /** What the nodes of an operator are counted as. */
  public enum Role {
    /** Convolution, matrix product, attention, recurrence: has multiply-accumulates. */
    MATRIX,
    /** A layer without multiply-accumulates. */
    LAYER,
    /** Elementwise arithmetic and reductions. */
    ARITHMETIC,
    /** Puts elements elsewhere: a new tensor, no arithmetic. */
    MOVEMENT,
    /** The same elements under another shape: no new tensor. */
    VIEW
  }

  /** Derives the outputs of a node. */
  @FunctionalInterface
  public interface ShapeRule {
    /**
     * Sets the outputs that can be derived; the others stay unknown.
     *
     * @throws ShapeMismatch when the inputs contradict the operator
     */
    void apply(NodeView node);
  }

  /** Counts multiply-accumulates of a node whose shapes are derived. */
  @FunctionalInterface
  public interface MacRule {
    /** Multiply-accumulates at the wanted batch, or {@link Shape#UNKNOWN}. */
    long count(NodeView node);
  }

  /** Counts the layers that a node stands for. */
  @FunctionalInterface
  public interface LayerRule {
    LayerCounts count(NodeView node);
  }

  public static Operator convolution(ShapeRule shape, MacRule macs) {
    return new Operator(Role.MATRIX, shape, macs, node -> ONE_CONVOLUTION);
  }

  /** A product of inputs {@code left} and {@code right}: linear when either is constant. */
  public static Operator product(ShapeRule shape, MacRule macs, int left, int right) {
    return new Operator(
        Role.MATRIX,
        shape,
        macs,
        node -> node.isConstant(left) || node.isConstant(right) ? ONE_LINEAR : NO_LAYERS);
  }

  public static Operator matrix(ShapeRule shape, MacRule macs, LayerCounts layers) {
    return new Operator(Role.MATRIX, shape, macs, node -> layers);
  }

  public static Operator activation(ShapeRule shape) {
    return layer(shape, ONE_ACTIVATION);
  }

  public static Operator other(ShapeRule shape) {
    return layer(shape, ONE_OTHER);
  }

  public static Operator layer(ShapeRule shape, LayerCounts layers) {
    return new Operator(Role.LAYER, shape, node -> 0, node -> layers);
  }

  public static Operator arithmetic(ShapeRule shape) {
    return new Operator(Role.ARITHMETIC, shape, node -> 0, node -> NO_LAYERS);
  }

  public static Operator movement(ShapeRule shape) {
    return new Operator(Role.MOVEMENT, shape, node -> 0, node -> NO_LAYERS);
  }

  public static Operator view(ShapeRule shape) {
    return new Operator(Role.VIEW, shape, node -> 0, node -> NO_LAYERS);
  }

  /**
   * An operator that is understood to give what cannot be derived: what the graph declares holds.
   */
  public static Operator passThrough() {
    return movement(NOTHING);
  }

  /** Whether nothing is derived and what the graph declares of the outputs holds. */
  public boolean isPassThrough() {
    return shape.equals(NOTHING);
  }

  /** The same with layers that depend on the node. */
  public Operator countingLayers(LayerRule rule) {
    return new Operator(role, shape, macs, rule);
  }
}
