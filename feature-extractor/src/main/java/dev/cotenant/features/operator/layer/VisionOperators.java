package dev.cotenant.features.operator.layer;

import static dev.cotenant.features.operator.OperatorTable.MICROSOFT;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Operator;
import dev.cotenant.features.inference.Operator.ShapeRule;
import dev.cotenant.features.inference.Saturating;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import dev.cotenant.features.operator.OperatorTable;

/** Images cut, put together and sampled. */
public final class VisionOperators {
  private VisionOperators() {}

  public static void addTo(OperatorTable table) {
    table.add(Operator.movement(ShapeRule.of(VisionOperators::setCentred)), "CenterCropPad");
    table.add(Operator.reduction(ShapeRule.of(VisionOperators::setFolded)), "Col2Im");
    table.add(Operator.reduction(ShapeRule.of(VisionOperators::setGrid)), "AffineGrid");
    table.add(Operator.movement(VisionOperators::setDecoded), "ImageDecoder");
    table.add(Operator.movement(ShapeRule.of(VisionOperators::setCropped)), "Crop");
    table.add(
        Operator.reduction(ShapeRule.of(VisionOperators::setCrops)), MICROSOFT + "CropAndResize");
    table.add(
        Operator.movement(ShapeRule.of(VisionOperators::setUnfolded)), MICROSOFT + "UnfoldTensor");
  }

  /** Input 1 holds the wanted extents of all axes, or of those that are named. */
  private static void setCentred(NodeView node, Shape data) {
    KnownNumbers wanted = node.numbers(1);
    if (wanted == null) {
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
  private static void setFolded(NodeView node, Shape data) {
    KnownNumbers image = node.numbers(1);
    KnownNumbers block = node.numbers(2);
    if (image == null || block == null) {
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
  private static void setGrid(NodeView node, Shape transforms) {
    KnownNumbers size = node.numbers(1);
    if (size == null || size.size() < 3) {
      return;
    }
    Shape.Builder result = new Shape.Builder(size.size()).addAll(transforms, 0, 1);
    for (int i = 2; i < size.size(); i++) {
      result.add(size.integer(i), size.scales(i));
    }
    node.set(0, result.add(size.size() - 2, false).build());
  }

  /** The file says how high and wide its image is; the format how many channels it gets. */
  private static void setDecoded(NodeView node) {
    long channels = node.text("pixel_format").equals("Grayscale") ? 1 : 3;
    node.set(0, ElementType.UINT8, Shape.of(Shape.UNKNOWN, Shape.UNKNOWN, channels));
  }

  /** Borders are left, top, right and bottom; with a scale it is the size [ONNX 1, Crop]. */
  private static void setCropped(NodeView node, Shape data) {
    Shape result = data;
    for (int i = 0; i < 2; i++) {
      int axis = data.rank() - 2 + i;
      long border =
          Math.max(0, node.integerAt("border", 1 - i, 0))
              + Math.max(0, node.integerAt("border", 3 - i, 0));
      long rest = data.extent(axis) < 0 ? Shape.UNKNOWN : data.extent(axis) - border;
      long extent = node.hasAttribute("scale") ? node.integerAt("scale", i, rest) : rest;
      result = result.with(axis, extent, data.scales(axis));
    }
    node.set(0, result);
  }

  /** (crops, channels, height, width) of the crops that input 1 lists at the size of input 3. */
  private static void setCrops(NodeView node, Shape data) {
    Shape crops = node.shape(1);
    KnownNumbers size = node.numbers(3);
    if (crops == null) {
      return;
    }
    node.set(
        0,
        crops
            .only(0)
            .append(data.only(1))
            .append(
                size == null ? Shape.UNKNOWN : size.integer(0),
                size == null ? Shape.UNKNOWN : size.integer(1)));
  }

  /** Windows along one axis, and their elements as a new last one. */
  private static void setUnfolded(NodeView node, Shape data) {
    int axis = data.axis(node.integer("dim", -1));
    long size = node.integer("size", 1);
    long step = node.integer("step", 1);
    long extent = data.extent(axis);
    if (step < 1 || size < 0 || (extent >= 0 && size > extent)) {
      throw new ShapeMismatch("windows of " + size + " by " + step + " in " + data);
    }
    long windows = extent < 0 ? extent : (extent - size) / step + 1;
    Shape moved = data.with(axis, windows, data.scales(axis));
    node.set(0, moved.append(size));
  }
}
