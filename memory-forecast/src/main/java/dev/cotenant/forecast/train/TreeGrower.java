package dev.cotenant.forecast.train;

import dev.cotenant.forecast.trees.TreesBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Grows one tree on weighted gradients: always the leaf whose best split gains most is split next.
 *
 * <p>[Friedman 2001, Greedy Function Approximation; the leaf-wise order and the binned search are
 * LightGBM's, Ke et al. 2017]
 */
final class TreeGrower {
  private static final int BINS = 256;
  private static final int FIELDS = 3;

  private final BinnedTable table;
  private final double[] gradients;
  private final double[] weights;
  private final GrowthSettings settings;
  private final int[] features;

  TreeGrower(BinnedTable table, Sample sample, GrowthSettings settings) {
    this.table = table;
    this.gradients = sample.gradients();
    this.weights = sample.weights();
    this.features = sample.features();
    this.settings = settings;
  }

  /** What a tree sees: a gradient and a weight for each row, and the features it may split on. */
  @SuppressWarnings("ArrayRecordComponent")
  record Sample(double[] gradients, double[] weights, int[] features) {}

  /** A leaf while the tree grows; a node once it was split. */
  static final class Leaf {
    int[] rows;
    private double[] histogram;
    private @Nullable Split best;
    private int order;
    private @Nullable Leaf left;
    private @Nullable Leaf right;

    private Leaf(int[] rows, double[] histogram, int order) {
      this.rows = rows;
      this.histogram = histogram;
      this.order = order;
    }

    private double gain() {
      return best == null ? 0 : best.gain;
    }
  }

  private record Split(int feature, int bin, double gain) {}

  /** What a leaf answers, from its rows. */
  interface LeafValue {
    double of(int[] rows);
  }

  /** Grows the tree on these rows and appends it. */
  void grow(int[] rows, LeafValue value, TreesBuilder out) {
    Leaf root = new Leaf(rows, histogram(rows), 0);
    root.best = best(root);
    List<Leaf> leaves = new ArrayList<>(List.of(root));
    int made = 1;
    while (leaves.size() < settings.leaves()) {
      Leaf next =
          leaves.stream()
              .max(Comparator.comparingDouble(Leaf::gain).thenComparingInt(leaf -> -leaf.order))
              .orElseThrow();
      Split split = next.best;
      if (split == null) {
        break;
      }
      split(next, split, made);
      made += 2;
      leaves.remove(next);
      leaves.add(required(next.left));
      leaves.add(required(next.right));
    }
    out.beginTree();
    write(root, value, out);
  }

  private void split(Leaf leaf, Split split, int made) {
    byte[] column = table.column(split.feature);
    int fewer = 0;
    for (int row : leaf.rows) {
      fewer += Byte.toUnsignedInt(column[row]) <= split.bin ? 1 : 0;
    }
    int[] low = new int[fewer];
    int[] high = new int[leaf.rows.length - fewer];
    int atLow = 0;
    int atHigh = 0;
    for (int row : leaf.rows) {
      if (Byte.toUnsignedInt(column[row]) <= split.bin) {
        low[atLow++] = row;
      } else {
        high[atHigh++] = row;
      }
    }
    boolean lowIsSmaller = low.length <= high.length;
    double[] smaller = histogram(lowIsSmaller ? low : high);
    double[] larger = leaf.histogram;
    for (int i = 0; i < larger.length; i++) {
      larger[i] -= smaller[i];
    }
    Leaf left = new Leaf(low, lowIsSmaller ? smaller : larger, made);
    Leaf right = new Leaf(high, lowIsSmaller ? larger : smaller, made + 1);
    left.best = best(left);
    right.best = best(right);
    leaf.left = left;
    leaf.right = right;
    leaf.rows = new int[0];
    leaf.histogram = new double[0];
  }

  /** Sums of gradient, weight and rows for each bin of each feature. */
  private double[] histogram(int[] rows) {
    double[] sums = new double[features.length * BINS * FIELDS];
    for (int f = 0; f < features.length; f++) {
      byte[] column = table.column(features[f]);
      int start = f * BINS * FIELDS;
      for (int row : rows) {
        int at = start + Byte.toUnsignedInt(column[row]) * FIELDS;
        sums[at] += gradients[row];
        sums[at + 1] += weights[row];
        sums[at + 2]++;
      }
    }
    return sums;
  }

  private @Nullable Split best(Leaf leaf) {
    if (leaf.rows.length < 2 * settings.leastRows()) {
      return null;
    }
    Split best = null;
    for (int f = 0; f < features.length; f++) {
      Split split = best(leaf, f);
      if (split != null && (best == null || split.gain > best.gain)) {
        best = split;
      }
    }
    return best;
  }

  private @Nullable Split best(Leaf leaf, int f) {
    int start = f * BINS * FIELDS;
    double gradient = 0;
    double weight = 0;
    for (int at = start; at < start + BINS * FIELDS; at += FIELDS) {
      gradient += leaf.histogram[at];
      weight += leaf.histogram[at + 1];
    }
    double whole = score(gradient, weight);
    double leftGradient = 0;
    double leftWeight = 0;
    double leftRows = 0;
    Split best = null;
    for (int bin = 0; bin < BINS - 1; bin++) {
      int at = start + bin * FIELDS;
      leftGradient += leaf.histogram[at];
      leftWeight += leaf.histogram[at + 1];
      leftRows += leaf.histogram[at + 2];
      if (leftRows < settings.leastRows()) {
        continue;
      }
      if (leaf.rows.length - leftRows < settings.leastRows()) {
        break;
      }
      double gain =
          score(leftGradient, leftWeight)
              + score(gradient - leftGradient, weight - leftWeight)
              - whole;
      if (leaf.histogram[at + 2] > 0 && gain > (best == null ? 0 : best.gain)) {
        best = new Split(features[f], bin, gain);
      }
    }
    return best;
  }

  private static double score(double gradient, double weight) {
    return weight > 0 ? gradient * gradient / weight : 0;
  }

  private void write(Leaf leaf, LeafValue value, TreesBuilder out) {
    Split split = leaf.best;
    if (leaf.left == null || leaf.right == null || split == null) {
      out.leaf(value.of(leaf.rows));
      return;
    }
    int node = out.split(split.feature, table.limit(split.feature, split.bin));
    write(leaf.left, value, out);
    out.rightStartsHere(node);
    write(leaf.right, value, out);
  }

  private static Leaf required(@Nullable Leaf leaf) {
    if (leaf == null) {
      throw new IllegalStateException("a split leaf has two children");
    }
    return leaf;
  }
}
