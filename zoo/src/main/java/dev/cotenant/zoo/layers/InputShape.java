package dev.cotenant.zoo.layers;

/** What one sample of a model's input looks like; the batch is symbolic and not part of it. */
public sealed interface InputShape {
  /**
   * An image; the channels are the architecture's, mostly three.
   *
   * @param height pixels, at least 1
   * @param width pixels, at least 1
   */
  record Image(int height, int width) implements InputShape {
    public Image {
      requirePositive("height", height);
      requirePositive("width", width);
    }

    /** A square image. */
    public static Image square(int side) {
      return new Image(side, side);
    }

    @Override
    public String toString() {
      return height + "x" + width + " image";
    }
  }

  /**
   * A sequence of tokens.
   *
   * @param length tokens, at least 1
   */
  record Tokens(int length) implements InputShape {
    public Tokens {
      requirePositive("length", length);
    }

    @Override
    public String toString() {
      return "sequence of " + length + " tokens";
    }
  }

  /**
   * A cloud of points in space.
   *
   * @param count points, at least 1
   */
  record Points(int count) implements InputShape {
    public Points {
      requirePositive("count", count);
    }

    @Override
    public String toString() {
      return "cloud of " + count + " points";
    }
  }

  /** What the architecture alone says: noise, or the numbers of a user and an item. */
  record Own() implements InputShape {
    @Override
    public String toString() {
      return "input of the architecture's own";
    }
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, is " + value);
    }
  }
}
