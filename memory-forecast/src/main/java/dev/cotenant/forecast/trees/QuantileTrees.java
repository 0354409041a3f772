package dev.cotenant.forecast.trees;

/**
 * A sum of regression trees, each of which was fitted to what its predecessors left of one
 * quantile.
 *
 * <p>Immutable. An answer costs one path through each tree.
 */
public final class QuantileTrees {
  /*
   * All trees in one array of nodes, each in preorder: the left child of node i is i + 1, right[i]
   * the other. A leaf has right[i] = 0 (no right child can be node 0) and its value in place of a
   * threshold; a value of at most the threshold goes left.
   *
   * Most time of a walk is waiting: for the branch that was guessed wrongly, for the next node. So
   * six trees are walked at a time, by a child's number instead of a branch; a leaf is its own
   * child until the others are done. Sums are made in the order of the trees all the same.
   */
  private static final int ABREAST = 6;

  private final float base;
  private final int[] roots;
  private final byte[] feature;
  private final float[] number;
  private final int[] right;
  private final int[] child; // of node i: 2 i where it goes left, 2 i + 1 where right

  QuantileTrees(float base, int[] roots, Nodes nodes) {
    this.base = base;
    this.roots = roots.clone();
    feature = nodes.feature();
    number = nodes.number();
    right = nodes.right();
    child = new int[2 * right.length];
    for (int i = 0; i < right.length; i++) {
      child[2 * i] = right[i] == 0 ? i : i + 1;
      child[2 * i + 1] = right[i] == 0 ? i : right[i];
    }
  }

  /** The nodes as parallel arrays; not copied. */
  @SuppressWarnings("ArrayRecordComponent")
  record Nodes(byte[] feature, float[] number, int[] right) {}

  /** The quantile for these features. */
  public double predict(float[] features) {
    double sum = base;
    int tree = 0;
    for (; tree + ABREAST <= roots.length; tree += ABREAST) {
      int a = roots[tree];
      int b = roots[tree + 1];
      int c = roots[tree + 2];
      int d = roots[tree + 3];
      int e = roots[tree + 4];
      int f = roots[tree + 5];
      while ((right[a] | right[b] | right[c] | right[d] | right[e] | right[f]) != 0) {
        a = next(a, features);
        b = next(b, features);
        c = next(c, features);
        d = next(d, features);
        e = next(e, features);
        f = next(f, features);
      }
      sum += number[a];
      sum += number[b];
      sum += number[c];
      sum += number[d];
      sum += number[e];
      sum += number[f];
    }
    for (; tree < roots.length; tree++) {
      int node = roots[tree];
      while (right[node] != 0) {
        node = next(node, features);
      }
      sum += number[node];
    }
    return sum;
  }

  private int next(int node, float[] features) {
    return child[2 * node + (features[feature[node]] <= number[node] ? 0 : 1)];
  }

  /** How many trees it sums. */
  public int trees() {
    return roots.length;
  }

  float base() {
    return base;
  }

  int[] roots() {
    return roots.clone();
  }

  Nodes nodes() {
    return new Nodes(feature.clone(), number.clone(), right.clone());
  }
}
