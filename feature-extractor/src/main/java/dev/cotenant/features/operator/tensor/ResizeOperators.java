package dev.cotenant.features.operator.tensor;

import dev.cotenant.features.graph.Attribute;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.OperatorTable;
import org.jspecify.annotations.Nullable;

/** Interpolation by scales or to sizes, and sampling on a grid. */
public final class ResizeOperators {
  private ResizeOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.reduction(ShapeRule.of(ResizeOperators::setResized)), "Resize", "Upsample");
    table.add(
        Operator.reduction(ShapeRule.of(ResizeOperators::setSampled)),
        "GridSample",
        OperatorTable.MICROSOFT + "GridSample");
  }

  private static void setResized(NodeView node, Shape data) {
    KnownNumbers sizes = node.numbers(3);
    KnownNumbers scales = node.has(3) ? null : scales(node);
    if (sizes == null && scales == null) {
      return;
    }
    KnownNumbers given = sizes == null ? scales : sizes;
    long[] axes = node.integers("axes");
    int count = axes == null ? data.rank() : axes.length;
    if (given == null || given.size() != count) {
      throw new ShapeMismatch("a resize of " + count + " axes of " + data);
    }
    double ratio = sizes == null ? Double.NaN : keptRatio(node, data, sizes);
    Shape result = data;
    for (int i = 0; i < count; i++) {
      int axis = data.axis(axes == null ? i : axes[i]);
      long extent = data.extent(axis);
      long wanted =
          sizes == null
              ? scaled(extent, given.at(i), 0)
              : ratio == 0 ? sizes.integer(i) : scaled(extent, ratio, 0.5);
      boolean follows = data.scales(axis) && (sizes == null || wanted == extent);
      result = result.with(axis, wanted, follows || given.scales(i));
    }
    node.set(0, result);
  }

  private static long scaled(long extent, double scale, double rounding) {
    boolean isKnown = extent >= 0 && !Double.isNaN(scale);
    return isKnown ? (long) Math.floor(extent * scale + rounding) : Shape.UNKNOWN;
  }

  /**
   * The common scale of all axes under {@code keep_aspect_ratio_policy}: 0 without the policy, NaN
   * for an unknown extent.
   */
  private static double keptRatio(NodeView node, Shape data, KnownNumbers sizes) {
    String policy = node.text("keep_aspect_ratio_policy");
    boolean atMost = policy.equals("not_larger");
    if (!atMost && !policy.equals("not_smaller")) {
      return 0;
    }
    long[] axes = node.integers("axes");
    double ratio = atMost ? Double.MAX_VALUE : 0;
    for (int i = 0; i < sizes.size(); i++) {
      long extent = data.extent(data.axis(axes == null ? i : axes[i]));
      double each = extent < 0 ? Double.NaN : extent == 0 ? 0 : sizes.at(i) / extent;
      ratio = atMost ? Math.min(ratio, each) : Math.max(ratio, each);
    }
    return ratio;
  }

  /** Input 1 before opset 11 and in {@code Upsample}, then input 2; once an attribute. */
  private static @Nullable KnownNumbers scales(NodeView node) {
    Attribute attribute = node.attribute("scales");
    if (attribute != null) {
      return KnownNumbers.of(attribute.numbers());
    }
    return node.inputCount() == 2 ? node.numbers(1) : node.numbers(2);
  }

  private static void setSampled(NodeView node, Shape data) {
    Shape grid = node.shape(1);
    if (grid != null && grid.rank() == data.rank()) {
      node.set(0, data.slice(0, 2).append(grid.slice(1, grid.rank() - 1)));
    }
  }
}
