package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.ChannelOrder;
import dev.cotenant.features.operator.OperatorTable;
import java.util.Arrays;

/** Pooling over sliding windows, over everything, and over regions. */
public final class PoolingOperators {
  private PoolingOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(
        Operator.other(node -> setWindows(node, ChannelOrder.of(node))),
        "MaxPool",
        "AveragePool",
        "LpPool",
        MICROSOFT + "MaxpoolWithMask",
        MICROSOFT + "QLinearAveragePool");
    table.add(
        Operator.other(node -> setWindows(node, ChannelOrder.LAST)), MICROSOFT + "NhwcMaxPool");
    table.add(
        Operator.other(ShapeRule.of(PoolingOperators::setGlobal)),
        "GlobalAveragePool",
        "GlobalMaxPool",
        "GlobalLpPool",
        MICROSOFT + "QLinearGlobalAveragePool");
    table.add(Operator.other(ShapeRule.of(PoolingOperators::setUnpooled)), "MaxUnpool");
    table.add(Operator.other(ShapeRule.of(PoolingOperators::setRegions)), "MaxRoiPool", "RoiAlign");
  }

  private static void setWindows(NodeView node, ChannelOrder order) {
    Shape given = node.shape(0);
    if (given == null) {
      return;
    }
    Shape data = order.toFirst(given);
    int spatial = data.rank() - 2;
    SlidingWindow windows = SlidingWindow.of(node, spatial);
    Shape.Builder result = new Shape.Builder(data.rank()).addAll(data, 0, 2);
    for (int i = 0; i < spatial; i++) {
      long kernel = node.integerAt("kernel_shape", i, 1);
      result.add(windows.positions(i, data.extent(i + 2), kernel), data.scales(i + 2));
    }
    Shape shape = order.fromFirst(result.build());
    node.set(0, shape);
    node.set(1, ElementType.INT64, shape);
  }

  /** Input 2 says the extents where the windows leave a choice. */
  private static void setUnpooled(NodeView node, Shape data) {
    KnownNumbers given = node.numbers(2);
    if (node.has(2) && given == null) {
      return;
    }
    SlidingWindow windows = SlidingWindow.of(node, data.rank() - 2);
    Shape result = data;
    for (int i = 2; i < data.rank(); i++) {
      long kernel = node.integerAt("kernel_shape", i - 2, 1);
      long extent =
          given != null ? given.integer(i) : windows.transposed(i - 2, data.extent(i), kernel);
      result = result.with(i, extent, data.scales(i));
    }
    node.set(0, result);
  }

  private static void setGlobal(NodeView node, Shape given) {
    ChannelOrder order = ChannelOrder.of(node);
    Shape data = order.toFirst(given);
    long[] single = new long[Math.max(0, data.rank() - 2)];
    Arrays.fill(single, 1);
    node.set(0, order.fromFirst(data.slice(0, 2).append(single)));
  }

  private static void setRegions(NodeView node, Shape data) {
    Shape regions = node.shape(1);
    if (regions == null) {
      return;
    }
    if (data.rank() != 4) {
      throw new ShapeMismatch("regions of " + data);
    }
    long height = node.integerAt("pooled_shape", 0, node.integer("output_height", 1));
    long width = node.integerAt("pooled_shape", 1, node.integer("output_width", 1));
    node.set(0, regions.only(0).append(data.only(1)).append(height, width));
  }
}
