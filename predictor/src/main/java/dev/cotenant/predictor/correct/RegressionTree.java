package dev.cotenant.predictor.correct;

import java.util.Arrays;

/**
 * A binary tree in arrays. Node 0 is the root; {@code feature} is -1 in a leaf, whose {@code value}
 * is the answer; elsewhere {@code value} is the threshold: at most goes left.
 */
final class RegressionTree {
  private final int[] feature;
  private final double[] value;
  private final int[] left;
  private final int[] right;

  /**
   * @throws IllegalArgumentException when the arrays are no tree over the features of questions
   */
  RegressionTree(int[] feature, double[] value, int[] left, int[] right) {
    int nodes = feature.length;
    if (nodes == 0 || value.length != nodes || left.length != nodes || right.length != nodes) {
      throw new IllegalArgumentException("a tree needs equally many entries of each kind");
    }
    for (int node = 0; node < nodes; node++) {
      requireNode(feature[node], value[node], node, left[node], right[node], nodes);
    }
    this.feature = feature.clone();
    this.value = value.clone();
    this.left = left.clone();
    this.right = right.clone();
  }

  /** Children come after their parent, so that walking ends. */
  private static void requireNode(
      int feature, double value, int node, int left, int right, int nodes) {
    boolean leaf = feature == -1;
    boolean split =
        feature >= 0
            && feature < QuestionFeatures.COUNT
            && left > node
            && right > node
            && left < nodes
            && right < nodes;
    if (!(leaf || split) || !Double.isFinite(value)) {
      throw new IllegalArgumentException("node " + node + " is neither a split nor a leaf");
    }
  }

  double predict(double[] features) {
    int node = 0;
    while (feature[node] >= 0) {
      node = features[feature[node]] <= value[node] ? left[node] : right[node];
    }
    return value[node];
  }

  int nodes() {
    return feature.length;
  }

  /** One node as a line of the file. */
  String line(int node) {
    return feature[node] + " " + value[node] + " " + left[node] + " " + right[node];
  }

  /** The opposite of {@link #line} for all nodes. */
  static RegressionTree parse(java.util.List<String> lines) {
    int nodes = lines.size();
    int[] feature = new int[nodes];
    double[] value = new double[nodes];
    int[] left = new int[nodes];
    int[] right = new int[nodes];
    for (int node = 0; node < nodes; node++) {
      String[] cells = lines.get(node).split(" ", -1);
      if (cells.length != 4) {
        throw new IllegalArgumentException("node " + node + " has " + cells.length + " entries");
      }
      feature[node] = Integer.parseInt(cells[0]);
      value[node] = Double.parseDouble(cells[1]);
      left[node] = Integer.parseInt(cells[2]);
      right[node] = Integer.parseInt(cells[3]);
    }
    return new RegressionTree(feature, value, left, right);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegressionTree tree
        && Arrays.equals(feature, tree.feature)
        && Arrays.equals(value, tree.value)
        && Arrays.equals(left, tree.left)
        && Arrays.equals(right, tree.right);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(value);
  }
}
