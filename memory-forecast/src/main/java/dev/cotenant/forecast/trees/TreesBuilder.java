package dev.cotenant.forecast.trees;

import java.util.Arrays;

/**
 * Collects trees node by node, each in preorder: a split, everything left of it, then the right.
 */
public final class TreesBuilder {
  private static final int FIRST_CAPACITY = 1024;

  private final float base;
  private int[] roots = new int[16];
  private int trees;
  private byte[] feature = new byte[FIRST_CAPACITY];
  private float[] number = new float[FIRST_CAPACITY];
  private int[] right = new int[FIRST_CAPACITY];
  private int size;

  /**
   * @param base what every answer starts from
   */
  public TreesBuilder(double base) {
    this.base = (float) base;
  }

  /** Begins a tree; its root is the next node. */
  public void beginTree() {
    beginTreeAt(size);
  }

  private void beginTreeAt(int node) {
    if (trees == roots.length) {
      roots = Arrays.copyOf(roots, 2 * trees);
    }
    roots[trees++] = node;
  }

  /** Adds a split and gives its number, for {@link #rightStartsHere}. */
  public int split(int featureIndex, float threshold) {
    return add((byte) featureIndex, threshold);
  }

  /** The next node is the right child of {@code split}. */
  public void rightStartsHere(int split) {
    right[split] = size;
  }

  /** Adds a leaf. */
  public void leaf(double value) {
    add((byte) 0, (float) value);
  }

  /** Adds every tree of another ensemble, its answers times {@code scale}; its base is left out. */
  public void append(QuantileTrees other, double scale) {
    QuantileTrees.Nodes nodes = other.nodes();
    int offset = size;
    for (int i = 0; i < nodes.number().length; i++) {
      boolean leaf = nodes.right()[i] == 0;
      int at = add(nodes.feature()[i], (float) (nodes.number()[i] * (leaf ? scale : 1)));
      right[at] = leaf ? 0 : nodes.right()[i] + offset;
    }
    for (int root : other.roots()) {
      beginTreeAt(root + offset);
    }
  }

  private int add(byte featureIndex, float value) {
    if (size == feature.length) {
      feature = Arrays.copyOf(feature, 2 * size);
      number = Arrays.copyOf(number, 2 * size);
      right = Arrays.copyOf(right, 2 * size);
    }
    feature[size] = featureIndex;
    number[size] = value;
    return size++;
  }

  /** What was added. */
  public QuantileTrees build() {
    return new QuantileTrees(
        base,
        Arrays.copyOf(roots, trees),
        new QuantileTrees.Nodes(
            Arrays.copyOf(feature, size), Arrays.copyOf(number, size), Arrays.copyOf(right, size)));
  }
}
