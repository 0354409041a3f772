package dev.cotenant.features.operator;

import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.ShapeMismatch;

/** Where an image's channels lie; rules are written for the first order. */
public enum ChannelOrder {
  /** (batch, channels, image…). */
  FIRST {
    @Override
    public Shape toFirst(Shape shape) {
      return shape;
    }

    @Override
    public Shape fromFirst(Shape shape) {
      return shape;
    }
  },
  /** (batch, image…, channels). */
  LAST {
    @Override
    public Shape toFirst(Shape shape) {
      int rank = requireRank(shape);
      return shape.only(0).append(shape.slice(rank - 1, rank)).append(shape.slice(1, rank - 1));
    }

    @Override
    public Shape fromFirst(Shape shape) {
      int rank = requireRank(shape);
      return shape.only(0).append(shape.slice(2, rank)).append(shape.only(1));
    }
  };

  public abstract Shape toFirst(Shape shape);

  public abstract Shape fromFirst(Shape shape);

  /** What a node of ONNX Runtime says of itself. */
  public static ChannelOrder of(NodeView node) {
    return node.integer("channels_last", 0) != 0 ? LAST : FIRST;
  }

  private static int requireRank(Shape shape) {
    if (shape.rank() < 2) {
      throw new ShapeMismatch("an image of " + shape);
    }
    return shape.rank();
  }
}
