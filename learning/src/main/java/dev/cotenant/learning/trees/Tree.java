package dev.cotenant.learning.trees;

/** One regression tree as linked nodes: the form in which trees are made and inspected. */
public sealed interface Tree {
  /**
   * A comparison.
   *
   * @param feature index of the value that is compared
   * @param threshold the largest value that goes to {@code low}
   * @param low for values of at most the threshold
   * @param high for larger values and for what is not a number
   */
  record Split(int feature, float threshold, Tree low, Tree high) implements Tree {
    public Split {
      if (Float.isNaN(threshold)) {
        throw new IllegalArgumentException("a threshold is not a number");
      }
    }
  }

  /**
   * An answer.
   *
   * @param value finite
   */
  record Leaf(float value) implements Tree {
    public Leaf {
      if (!Float.isFinite(value)) {
        throw new IllegalArgumentException("a leaf is " + value);
      }
    }
  }

  /** The answer for a vector: one path, by links. */
  default float predict(float[] vector) {
    Tree node = this;
    while (node instanceof Split split) {
      node = vector[split.feature] <= split.threshold ? split.low : split.high;
    }
    return ((Leaf) node).value;
  }

  /** The same tree, its answers times a factor. */
  default Tree times(double factor) {
    return switch (this) {
      case Split(int feature, float threshold, Tree low, Tree high) ->
          new Split(feature, threshold, low.times(factor), high.times(factor));
      case Leaf(float value) -> new Leaf((float) (value * factor));
    };
  }
}
