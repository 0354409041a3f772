package dev.cotenant.predictor.forest;

import java.util.Arrays;

/** Collects the nodes of trees in preorder: a split, then its left subtree, then its right one. */
public final class ForestBuilder {
  private static final int INITIAL_CAPACITY = 1 << 12;

  private byte[] splitFeature = new byte[INITIAL_CAPACITY];
  private float[] thresholdOrLeaf = new float[INITIAL_CAPACITY];
  private int nodes;

  /** A split: values of {@code feature} up to and including {@code threshold} go left. */
  public void split(int feature, float threshold) {
    add((byte) feature, threshold);
  }

  public void leaf(double value) {
    add(Forest.LEAF, (float) value);
  }

  private void add(byte feature, float value) {
    if (nodes == splitFeature.length) {
      splitFeature = Arrays.copyOf(splitFeature, 2 * nodes);
      thresholdOrLeaf = Arrays.copyOf(thresholdOrLeaf, 2 * nodes);
    }
    splitFeature[nodes] = feature;
    thresholdOrLeaf[nodes] = value;
    nodes++;
  }

  /** The forest of what was added, which must be {@code trees} complete trees. */
  public Forest build(int trees) {
    return Forest.ofPreorder(
        trees, Arrays.copyOf(splitFeature, nodes), Arrays.copyOf(thresholdOrLeaf, nodes));
  }
}
