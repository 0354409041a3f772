package dev.cotenant.features.operator;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import org.jspecify.annotations.Nullable;

/** Matrix products: every output element costs the contracted extent. */
final class MatrixOperators {
  private static final LayerCounts LINEAR_AND_GELU = new LayerCounts(0, 1, 1, 0);

  private MatrixOperators() {}

  static void addTo(OperatorTable table) {
    table.add(
        matrixProduct(1, null),
        "MatMul",
        MICROSOFT + "FusedMatMul",
        MICROSOFT + "FusedMatMulActivation",
        MICROSOFT + "TransposeMatMul");
    table.add(matrixProduct(1, ElementType.INT32), "MatMulInteger");
    table.add(
        matrixProduct(1, ElementType.FLOAT),
        MICROSOFT + "MatMulIntegerToFloat",
        MICROSOFT + "DynamicQuantizeMatMul");
    table.add(matrixProduct(3, null), "QLinearMatMul", MICROSOFT + "QLinearMatMul");
    table.add(gemm(1), "Gemm", MICROSOFT + "FusedGemm", MICROSOFT + "GemmFloat8");
    table.add(gemm(3), MICROSOFT + "QGemm");
    table.add(
        Operator.product(MatrixOperators::setPackedProduct, MatrixOperators::packedMacs, 1, 1),
        MICROSOFT + "MatMulBnb4",
        MICROSOFT + "MatMulNBits");
    table.add(
        matrixProduct(1, null).countingLayers(node -> LINEAR_AND_GELU), MICROSOFT + "GemmFastGelu");
  }

  private static Operator matrixProduct(int right, @Nullable ElementType type) {
    return Operator.product(
        node -> setProduct(node, right, type == null ? node.type(0) : type),
        node -> macs(node, right),
        0,
        right);
  }

  private static void setProduct(NodeView node, int rightInput, ElementType type) {
    Shape left = left(node);
    Shape right = right(node, rightInput);
    if (left == null || right == null) {
      return;
    }
    Shape a =
        left.rank() == 1 ? new Shape.Builder(2).add(1, false).addAll(left, 0, 1).build() : left;
    Shape b =
        right.rank() == 1 ? new Shape.Builder(2).addAll(right, 0, 1).add(1, false).build() : right;
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
    return new Shape.Builder(shape.rank()).addAll(shape, 0, shape.rank() - 2).build();
  }

  /** {@code FusedMatMul} may transpose its operands first. */
  private static @Nullable Shape left(NodeView node) {
    return swappedIf(node.integer("transA", 0), node.shape(0));
  }

  private static @Nullable Shape right(NodeView node, int input) {
    return swappedIf(node.integer("transB", 0), node.shape(input));
  }

  private static @Nullable Shape swappedIf(long transposed, @Nullable Shape shape) {
    if (shape == null || transposed == 0 || shape.rank() < 2) {
      return shape;
    }
    int rank = shape.rank();
    return new Shape.Builder(rank)
        .addAll(shape, 0, rank - 2)
        .addAll(shape, rank - 1, rank)
        .addAll(shape, rank - 2, rank - 1)
        .build();
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
  private static Operator gemm(int right) {
    return Operator.product(
        node -> setGemm(node, right),
        node -> {
          Shape left = left(node);
          return left == null
              ? Amount.UNKNOWN
              : Amount.elements(node.outputShape(0)).times(Amount.elements(left, 1, left.rank()));
        },
        0,
        right);
  }

  private static void setGemm(NodeView node, int rightInput) {
    Shape left = left(node);
    Shape right = right(node, rightInput);
    if (left == null || right == null) {
      return;
    }
    boolean matrices = left.rank() >= 2 && right.rank() == 2;
    if (!matrices || differ(left.product(1, left.rank()), right.extent(0))) {
      throw new ShapeMismatch("matrices of " + left + " and " + right + " do not multiply");
    }
    node.set(0, new Shape.Builder(2).addAll(left, 0, 1).addAll(right, 1, 2).build());
  }

  /** Weights of few bits in blocks: the extents K and N are attributes. */
  private static void setPackedProduct(NodeView node) {
    Shape left = node.shape(0);
    if (left != null) {
      node.set(0, left.with(-1, node.integer("N", Shape.UNKNOWN), false));
    }
  }

  private static Amount packedMacs(NodeView node) {
    Amount contracted = Amount.of(node.integer("K", Shape.UNKNOWN));
    return Amount.elements(node.outputShape(0)).times(contracted);
  }
}
