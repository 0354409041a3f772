package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.Fused;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/** Matrix products: every output element costs the contracted extent. */
public final class MatrixOperators {
  private static final LayerCounts LINEAR_AND_GELU = new LayerCounts(0, 1, 1, 0);

  private MatrixOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        product(1, node -> node.type(0)),
        "MatMul",
        MICROSOFT + "FusedMatMul",
        MICROSOFT + "TransposeMatMul");
    table.add(
        Fused.withActivation(product(1, node -> node.type(0))),
        MICROSOFT + "FusedMatMulActivation");
    table.add(product(1, node -> node.type(1)), MICROSOFT + "SparseToDenseMatMul");
    table.add(product(2, node -> node.type(0)), MICROSOFT + "QOrderedMatMul");
    addQuantized(table);
    table.add(gemm(1, node -> node.type(0)), "Gemm");
    table.add(Fused.withActivation(gemm(1, node -> node.type(0))), MICROSOFT + "FusedGemm");
    table.add(
        Fused.withActivation(gemm(1, node -> ElementType.of(node.integer("dtype", 1)))),
        MICROSOFT + "GemmFloat8");
    table.add(
        product(1, node -> node.type(0)).countingLayers(node -> LINEAR_AND_GELU),
        MICROSOFT + "GemmFastGelu");
  }

  private static void addQuantized(OperatorTable table) {
    table.add(
        product(1, node -> ElementType.INT32), "MatMulInteger", MICROSOFT + "MatMulInteger16");
    table.add(product(1, node -> ElementType.FLOAT), MICROSOFT + "DynamicQuantizeMatMul");
    table.add(product(1, node -> node.type(2)), MICROSOFT + "MatMulIntegerToFloat");
    table.add(
        product(3, node -> node.type(node.has(7) ? 7 : 0)),
        "QLinearMatMul",
        MICROSOFT + "QLinearMatMul");
    table.add(gemm(3, node -> node.has(8) ? node.type(8) : ElementType.FLOAT), MICROSOFT + "QGemm");
  }

  /** Element type of a product. */
  @FunctionalInterface
  private interface TypeRule {
    ElementType of(NodeView node);
  }

  private static Operator product(int right, TypeRule type) {
    return Operator.product(
        node -> setProduct(node, right, type.of(node)), node -> macs(node, right), 0, right);
  }

  private static void setProduct(NodeView node, int rightInput, ElementType type) {
    Shape left = left(node);
    Shape right = right(node, rightInput);
    if (left == null || right == null) {
      return;
    }
    Shape a = left.rank() == 1 ? Shape.of(1).append(left) : left;
    Shape b = right.rank() == 1 ? right.append(1) : right;
    if (a.rank() == 0 || b.rank() == 0 || differ(a.extent(-1), b.extent(b.rank() - 2))) {
      throw new ShapeMismatch("matrices of " + left + " and " + right + " do not multiply");
    }
    Shape batch = Shape.broadcast(leading(a), leading(b));
    Shape.Builder result = new Shape.Builder(batch.rank() + 2).addAll(batch, 0, batch.rank());
    if (left.rank() > 1) {
      result.addAll(a, a.rank() - 2, a.rank() - 1);
    }
    if (right.rank() > 1) {
      result.addAll(b, b.rank() - 1, b.rank());
    }
    node.set(0, type, result.build());
  }

  private static boolean differ(long left, long right) {
    return left != right && left != Shape.UNKNOWN && right != Shape.UNKNOWN;
  }

  private static Shape leading(Shape shape) {
    return shape.slice(0, shape.rank() - 2);
  }

  /** {@code FusedMatMul} may transpose its operands first. */
  private static @Nullable Shape left(NodeView node) {
    return swappedIf(
        node.integer("transA", 0), firstInwardIf(node.integer("transBatchA", 0), node.shape(0)));
  }

  private static @Nullable Shape right(NodeView node, int input) {
    return swappedIf(
        node.integer("transB", 0),
        firstInwardIf(node.integer("transBatchB", 0), node.shape(input)));
  }

  /** (rows, batch…, columns) as (batch…, rows, columns). */
  private static @Nullable Shape firstInwardIf(long transposed, @Nullable Shape shape) {
    if (shape == null || transposed == 0 || shape.rank() < 3) {
      return shape;
    }
    int rank = shape.rank();
    return shape.slice(1, rank - 1).append(shape.only(0)).append(shape.only(-1));
  }

  private static @Nullable Shape swappedIf(long transposed, @Nullable Shape shape) {
    if (shape == null || transposed == 0 || shape.rank() < 2) {
      return shape;
    }
    int rank = shape.rank();
    return shape.slice(0, rank - 2).append(shape.only(-1)).append(shape.only(-2));
  }

  private static Amount macs(NodeView node, int rightInput) {
    Shape left = left(node);
    Shape right = right(node, rightInput);
    if (left == null) {
      return Amount.UNKNOWN;
    }
    Amount contracted = Amount.extent(left, left.rank() - 1);
    if (!contracted.isKnown() && right != null) {
      contracted = Amount.extent(right, Math.max(0, right.rank() - 2));
    }
    return Amount.elements(node.outputShape(0)).times(contracted);
  }

  /** Opset 7 and older flatten what is not a matrix. */
  private static Operator gemm(int right, TypeRule type) {
    return Operator.product(
        node -> setGemm(node, right, type.of(node)),
        node -> {
          Shape left = left(node);
          return left == null
              ? Amount.UNKNOWN
              : Amount.elements(node.outputShape(0)).times(Amount.elements(left, 1, left.rank()));
        },
        0,
        right);
  }

  private static void setGemm(NodeView node, int rightInput, ElementType type) {
    Shape left = left(node);
    Shape right = right(node, rightInput);
    if (left == null || right == null) {
      return;
    }
    boolean matrices = left.rank() >= 2 && right.rank() == 2;
    if (!matrices || differ(left.product(1, left.rank()), right.extent(0))) {
      throw new ShapeMismatch("matrices of " + left + " and " + right + " do not multiply");
    }
    node.set(0, type, left.only(0).append(right.only(1)));
  }
}
