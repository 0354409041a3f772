package dev.cotenant.features.operator.layer;

import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;
import org.jspecify.annotations.Nullable;

/**
 * How many positions a sliding window takes along an axis [ONNX, Conv, MaxPool and ConvTranspose].
 *
 * @param node the node whose attributes say how the window slides
 * @param spatialAxes number of spatial axes
 * @param givenPads paddings that an input holds; null where an attribute does
 */
record SlidingWindow(NodeView node, int spatialAxes, @Nullable KnownNumbers givenPads) {
  /** Largest stride, padding or kernel that is taken for a real one. */
  private static final long MAX_ATTRIBUTE = 1L << 40;

  static SlidingWindow of(NodeView node, int spatialAxes) {
    return new SlidingWindow(node, spatialAxes, null);
  }

  /** Positions along one axis; 0 or fewer is a mismatch. */
  long positions(int axis, long extent, long kernel) {
    if (extent == Shape.UNKNOWN || kernel == Shape.UNKNOWN) {
      return Shape.UNKNOWN;
    }
    long stride = positive("strides", axis);
    long window = dilated(axis, kernel);
    String automatic = node.text("auto_pad");
    long positions =
        switch (automatic) {
          case "SAME_UPPER", "SAME_LOWER" -> (extent + stride - 1) / stride;
          case "VALID" -> Math.floorDiv(extent - window, stride) + 1;
          default -> padded(axis, extent, window);
        };
    if (positions < 1 && extent > 0) {
      throw new ShapeMismatch("a window of " + window + " does not fit an extent of " + extent);
    }
    return Math.max(0, positions);
  }

  /** Extent that a transposed convolution makes of {@code extent}. */
  long transposed(int axis, long extent, long kernel) {
    if (extent == Shape.UNKNOWN || kernel == Shape.UNKNOWN) {
      return Shape.UNKNOWN;
    }
    if (node.hasAttribute("output_shape")) {
      long[] given = node.integers("output_shape");
      int offset = given == null ? 0 : Math.max(0, given.length - spatialAxes);
      return node.integerAt("output_shape", axis + offset, Shape.UNKNOWN);
    }
    long stride = positive("strides", axis);
    String automatic = node.text("auto_pad");
    if (automatic.startsWith("SAME")) {
      return bounded(extent) * stride;
    }
    boolean valid = automatic.equals("VALID");
    long padding = valid ? 0 : padding(axis) + padding(axis + spatialAxes);
    long outputPadding = within("output_padding", axis, 0);
    long result = stride * (bounded(extent) - 1) + outputPadding + dilated(axis, kernel) - padding;
    if (result < 1) {
      throw new ShapeMismatch("an output extent of " + result);
    }
    return result;
  }

  private long padded(int axis, long extent, long window) {
    long stride = positive("strides", axis);
    long before = padding(axis);
    long room = bounded(extent) + before + padding(axis + spatialAxes) - window;
    if (node.integer("ceil_mode", 0) == 0) {
      return Math.floorDiv(room, stride) + 1;
    }
    long positions = Math.ceilDiv(room, stride) + 1;
    boolean startsInPadding = (positions - 1) * stride >= extent + before;
    return startsInPadding ? positions - 1 : positions;
  }

  private long dilated(int axis, long kernel) {
    return (bounded(kernel) - 1) * Math.min(positive("dilations", axis), 1 << 20) + 1;
  }

  private long padding(int index) {
    if (givenPads != null) {
      return index < givenPads.size() ? bounded(givenPads.integer(index)) : 0;
    }
    return within("pads", index, 0);
  }

  private long positive(String name, int axis) {
    long value = within(name, axis, 1);
    if (value < 1) {
      throw new ShapeMismatch(name + " of " + value);
    }
    return Math.min(value, 1 << 20);
  }

  private long within(String name, int index, long fallback) {
    return bounded(node.integerAt(name, index, fallback));
  }

  private static long bounded(long value) {
    if (value > MAX_ATTRIBUTE || value < -MAX_ATTRIBUTE) {
      throw new ShapeMismatch("an attribute or extent of " + value);
    }
    return value;
  }
}
