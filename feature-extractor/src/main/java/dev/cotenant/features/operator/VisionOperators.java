package dev.cotenant.features.operator;

import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;

/** Images cut, put together and sampled. */
final class VisionOperators {
  private VisionOperators() {}

  static void addTo(OperatorTable table) {
    table.add(Operator.movement(VisionOperators::setCentred), "CenterCropPad");
    table.add(Operator.reduction(VisionOperators::setFolded), "Col2Im");
    table.add(Operator.reduction(VisionOperators::setGrid), "AffineGrid");
  }

  /** Input 1 holds the wanted extents of all axes, or of those that are named. */
  private static void setCentred(NodeView node) {
    Shape data = node.shape(0);
    KnownNumbers wanted = node.numbers(1);
    if (data == null || wanted == null) {
      return;
    }
    long[] axes = node.integers("axes");
    int count = axes == null ? data.rank() : axes.length;
    if (wanted.size() != count) {
      throw new ShapeMismatch(wanted.size() + " extents for " + count + " axes");
    }
    Shape result = data;
    for (int i = 0; i < count; i++) {
      int axis = data.axis(axes == null ? i : axes[i]);
      result = result.with(axis, wanted.integer(i), wanted.scales(i));
    }
    node.set(0, result);
  }

  /** Columns (batch, channels × block, blocks) become (batch, channels, image…). */
  private static void setFolded(NodeView node) {
    Shape data = node.shape(0);
    KnownNumbers image = node.numbers(1);
    KnownNumbers block = node.numbers(2);
    if (data == null || image == null || block == null) {
      return;
    }
    long size = 1;
    for (int i = 0; i < block.size(); i++) {
      size = Saturating.multiply(size, Math.max(0, block.integer(i)));
    }
    long columns = data.extent(1);
    if (size < 1 || (columns >= 0 && columns % size != 0)) {
      throw new ShapeMismatch(columns + " columns of blocks of " + size);
    }
    Shape.Builder result = new Shape.Builder(2 + image.size());
    result.addAll(data, 0, 1).add(columns < 0 ? Shape.UNKNOWN : columns / size, false);
    for (int i = 0; i < image.size(); i++) {
      result.add(image.integer(i), image.scales(i));
    }
    node.set(0, result.build());
  }

  /** A size of (batch, channels, image…) gives (batch, image…, coordinates). */
  private static void setGrid(NodeView node) {
    Shape transforms = node.shape(0);
    KnownNumbers size = node.numbers(1);
    if (transforms == null || size == null || size.size() < 3) {
      return;
    }
    Shape.Builder result = new Shape.Builder(size.size()).addAll(transforms, 0, 1);
    for (int i = 2; i < size.size(); i++) {
      result.add(size.integer(i), size.scales(i));
    }
    node.set(0, result.add(size.size() - 2, false).build());
  }
}
