package dev.cotenant.features.inference;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.WorkClass;
import java.util.function.BiConsumer;

/**
 * Rules of one operator.
 *
 * @param role counted role of its nodes
 * @param kernel how its nodes run on a device
 * @param shape derives the outputs
 * @param work counts multiply-accumulates by class
 * @param layers counts layers in the module view
 * @param launches counts the kernels of a node that has its own, at least 1
 */
public record Operator(
    Role role,
    Kernel kernel,
    ShapeRule shape,
    WorkRule work,
    LayerRule layers,
    LaunchRule launches) {

  private static final ShapeRule NOTHING = node -> {};
  private static final LayerCounts NO_LAYERS = new LayerCounts(0, 0, 0, 0);
  private static final LayerCounts ONE_LINEAR = new LayerCounts(0, 1, 0, 0);
  private static final LayerCounts ONE_ACTIVATION = new LayerCounts(0, 0, 1, 0);
  private static final LayerCounts ONE_OTHER = new LayerCounts(0, 0, 0, 1);

  /** Counted role of an operator's nodes. */
  public enum Role {
    /** Convolution, matrix product, attention, recurrence: has multiply-accumulates. */
    MATRIX,
    /** A layer without multiply-accumulates. */
    LAYER,
    /** Elementwise arithmetic and reductions. */
    ARITHMETIC,
    /** Puts elements elsewhere: a new tensor, no arithmetic. */
    MOVEMENT,
    /** The same elements in a different shape, without a new tensor. */
    VIEW
  }

  /** How the nodes of an operator run on a device. */
  public enum Kernel {
    /** Runs nothing: another name for the same bytes, or a copy of them. */
    NONE,
    /** Element by element: joins the kernel that computes its input, as compilers fuse. */
    POINTWISE,
    /** A separate kernel that later pointwise operators may join. */
    OPEN,
    /** A kernel of its own that nothing joins. */
    CLOSED
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

    /** A rule that sets nothing where the shape of the first input is not known. */
    static ShapeRule of(BiConsumer<NodeView, Shape> rule) {
      return node -> {
        Shape data = node.shape(0);
        if (data != null) {
          rule.accept(node, data);
        }
      };
    }
  }

  /** Counts multiply-accumulates of a node whose shapes are derived. */
  @FunctionalInterface
  public interface MacRule {
    /** Multiply-accumulates as a function of the batch, perhaps unknown. */
    Amount count(NodeView node);
  }

  /** Counts multiply-accumulates of a node by class. */
  @FunctionalInterface
  public interface WorkRule {
    Work count(NodeView node);

    /** Work of one class. */
    static WorkRule of(WorkClass kind, MacRule macs) {
      return node -> Work.of(kind, macs.count(node));
    }
  }

  /** Counts the layers that a node stands for. */
  @FunctionalInterface
  public interface LayerRule {
    LayerCounts count(NodeView node);
  }

  /** Counts the kernels that a node launches one after the other. */
  @FunctionalInterface
  public interface LaunchRule {
    Amount count(NodeView node);
  }

  private static Operator of(Role role, Kernel kernel, ShapeRule shape, LayerRule layers) {
    return new Operator(role, kernel, shape, node -> Work.NONE, layers, node -> Amount.ONE);
  }

  private static Operator matrix(ShapeRule shape, WorkRule work, LayerRule layers) {
    return new Operator(Role.MATRIX, Kernel.OPEN, shape, work, layers, node -> Amount.ONE);
  }

  public static Operator matrix(ShapeRule shape, WorkRule work, LayerCounts layers) {
    return matrix(shape, work, node -> layers);
  }

  /** A product of inputs {@code left} and {@code right}: linear when either is constant. */
  public static Operator product(ShapeRule shape, MacRule macs, int left, int right) {
    return matrix(
        shape,
        node ->
            Work.of(
                isLinear(node, left, right) ? WorkClass.LINEAR : WorkClass.MATRIX_PRODUCT,
                macs.count(node)),
        node -> isLinear(node, left, right) ? ONE_LINEAR : NO_LAYERS);
  }

  private static boolean isLinear(NodeView node, int left, int right) {
    return node.isConstant(left) || node.isConstant(right);
  }

  /** An elementwise activation. */
  public static Operator activation(ShapeRule shape) {
    return layer(shape, ONE_ACTIVATION).runningAs(Kernel.POINTWISE);
  }

  public static Operator other(ShapeRule shape) {
    return layer(shape, ONE_OTHER);
  }

  public static Operator layer(ShapeRule shape, LayerCounts layers) {
    return of(Role.LAYER, Kernel.CLOSED, shape, node -> layers);
  }

  /** Arithmetic element by element. */
  public static Operator arithmetic(ShapeRule shape) {
    return of(Role.ARITHMETIC, Kernel.POINTWISE, shape, node -> NO_LAYERS);
  }

  /** Arithmetic across elements. */
  public static Operator reduction(ShapeRule shape) {
    return arithmetic(shape).runningAs(Kernel.CLOSED);
  }

  public static Operator movement(ShapeRule shape) {
    return of(Role.MOVEMENT, Kernel.CLOSED, shape, node -> NO_LAYERS);
  }

  public static Operator view(ShapeRule shape) {
    return of(Role.VIEW, Kernel.NONE, shape, node -> NO_LAYERS);
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

  /** Copy with layers that depend on the node. */
  public Operator countingLayers(LayerRule rule) {
    return new Operator(role, kernel, shape, work, rule, launches);
  }

  /** Copy that runs on a different kind of kernel. */
  public Operator runningAs(Kernel other) {
    return new Operator(role, other, shape, work, layers, launches);
  }

  /** Copy with a number of kernels that depends on the node. */
  public Operator launching(LaunchRule rule) {
    return new Operator(role, kernel, shape, work, layers, rule);
  }
}
