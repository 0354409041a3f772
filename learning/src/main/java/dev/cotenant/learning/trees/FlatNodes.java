package dev.cotenant.learning.trees;

import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/**
 * The nodes of several trees in flat arrays, which is also their form in files. Immutable.
 *
 * <p>Nodes are numbered level by level over all trees: the roots first, then the two children of
 * each split in the order of the splits. So the children of the k-th split are {@code trees + 2k}
 * and {@code trees + 2k + 1}, and which nodes are splits says the shape of all trees. A split is a
 * 16-bit number: the feature in the upper bits, the rank of its threshold among that feature's
 * thresholds in the lower bits.
 */
final class FlatNodes {
  private final int trees;
  private final float base;

  /** By feature the {@link #key}s of its thresholds, each once, ascending. */
  private final int[][] thresholds;

  private final int rankBits;

  /** A bit for each node, set where it is a split. */
  private final byte[] shape;

  private final char[] splits;
  private final float[] leaves;

  /** By node its first child; of a leaf the complement of its number among the leaves. */
  private final int[] links;

  private final int depth;

  private FlatNodes(float base, int[][] thresholds, byte[] shape, char[] splits, float[] leaves) {
    trees = leaves.length - splits.length;
    this.base = base;
    this.thresholds = thresholds;
    this.shape = shape;
    this.splits = splits;
    this.leaves = leaves;
    rankBits = rankBits(thresholds);
    links = new int[splits.length + leaves.length];
    depth = link();
    requireRanks();
  }

  /** Fills in the links; gives the splits on the longest path. */
  private int link() {
    // a new virtual machine interprets this loop: no calls in it
    int child = trees;
    int leaf = 0;
    int levels = 0;
    int levelEnd = trees;
    for (int node = 0; node < links.length; node++) {
      if (node == levelEnd) {
        levels++;
        levelEnd = child;
      }
      if ((shape[node >> 3] >> (node & 7) & 1) != 0) {
        links[node] = child;
        child += 2;
      } else {
        links[node] = ~leaf++;
      }
      if (node >= levelEnd) {
        throw new IllegalArgumentException("node " + node + " belongs to no tree");
      }
    }
    if (leaf != leaves.length) {
      throw new IllegalArgumentException("its shape has " + leaf + " leaves of " + leaves.length);
    }
    return levels;
  }

  private void requireRanks() {
    int[] counts = new int[1 << (Character.SIZE - rankBits)];
    for (int feature = 0; feature < thresholds.length; feature++) {
      counts[feature] = thresholds[feature].length;
    }
    int mask = (1 << rankBits) - 1;
    int all = -1;
    for (char split : splits) {
      all &= (split & mask) - counts[split >>> rankBits]; // below 0 where the rank is one
    }
    if (splits.length > 0 && all >= 0) {
      throw new IllegalArgumentException("a node compares with a threshold that there is not");
    }
  }

  /**
   * @param base what the sum of the trees starts from
   * @param features length of a feature vector
   */
  static FlatNodes of(float base, int features, List<Tree> trees) {
    List<Tree> nodes = levelByLevel(trees);
    int[][] thresholds = thresholds(features, nodes);
    int bits = rankBits(thresholds);
    byte[] shape = new byte[Math.ceilDiv(nodes.size(), Byte.SIZE)];
    char[] splits = new char[(nodes.size() - trees.size()) / 2];
    float[] leaves = new float[nodes.size() - splits.length];
    int split = 0;
    for (int node = 0; node < nodes.size(); node++) {
      switch (nodes.get(node)) {
        case Tree.Split(int feature, float threshold, Tree _, Tree _) -> {
          shape[node / Byte.SIZE] |= (byte) (1 << (node % Byte.SIZE));
          int rank = rank(thresholds[feature], key(threshold));
          splits[split++] = (char) ((feature << bits) + rank);
        }
        case Tree.Leaf(float value) -> leaves[node - split] = value;
      }
    }
    return new FlatNodes(base, thresholds, shape, splits, leaves);
  }

  private static List<Tree> levelByLevel(List<Tree> trees) {
    List<Tree> nodes = new ArrayList<>();
    Queue<Tree> open = new ArrayDeque<>(trees);
    while (!open.isEmpty()) {
      Tree node = open.remove();
      nodes.add(node);
      if (node instanceof Tree.Split split) {
        open.add(split.low());
        open.add(split.high());
      }
    }
    return nodes;
  }

  private static int[][] thresholds(int features, List<Tree> nodes) {
    int[][] thresholds = new int[features][];
    for (int feature = 0; feature < features; feature++) {
      thresholds[feature] = new int[0];
    }
    int[] counts = new int[features];
    for (Tree node : nodes) {
      if (node instanceof Tree.Split(int feature, float threshold, Tree _, Tree _)) {
        if (feature < 0 || feature >= features) {
          throw new IllegalArgumentException(
              "a node splits on feature " + feature + " of " + features);
        }
        if (counts[feature] == thresholds[feature].length) {
          thresholds[feature] = Arrays.copyOf(thresholds[feature], 2 * counts[feature] + 1);
        }
        thresholds[feature][counts[feature]++] = key(threshold);
      }
    }
    for (int feature = 0; feature < features; feature++) {
      thresholds[feature] =
          Arrays.stream(thresholds[feature], 0, counts[feature]).sorted().distinct().toArray();
    }
    return thresholds;
  }

  /** Bits that are left for a rank beside the feature; ranks reach one beyond the thresholds. */
  private static int rankBits(int[][] thresholds) {
    int bits = Character.SIZE - bits(thresholds.length);
    int most = 0;
    for (int[] some : thresholds) {
      most = Math.max(most, some.length);
    }
    if (bits < 1 || most >= 1 << bits) {
      throw new IllegalArgumentException(
          thresholds.length + " features and " + most + " thresholds of one are too many");
    }
    return bits;
  }

  /** Least bits that number so many values. */
  private static int bits(int numbers) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, numbers - 1));
  }

  /** Integers in the order of the floats; both zeros are equal, NaN sorts last. */
  private static int key(float value) {
    int bits = Float.floatToIntBits(value + 0f);
    return bits ^ ((bits >> (Integer.SIZE - 1)) & Integer.MAX_VALUE);
  }

  /** The float of a key. */
  private static float value(int key) {
    return Float.intBitsToFloat(key ^ ((key >> (Integer.SIZE - 1)) & Integer.MAX_VALUE));
  }

  /** How many of the sorted keys are below: a binary search without a branch on its outcome. */
  static int rank(int[] sorted, int key) {
    int low = 0;
    int length = sorted.length;
    while (length > 0) {
      int half = (length + 1) >>> 1;
      low += half & (int) (((long) sorted[low + half - 1] - key) >> (Long.SIZE - 1));
      length -= half;
    }
    return low;
  }

  int trees() {
    return trees;
  }

  /** Splits and leaves of all trees. */
  int count() {
    return links.length;
  }

  float base() {
    return base;
  }

  /** Splits between a root and the leaf farthest from one. */
  int depth() {
    return depth;
  }

  int features() {
    return thresholds.length;
  }

  /** By node its first child; of a leaf the complement of its number among the leaves. */
  int[] links() {
    return links;
  }

  /** By split its feature and rank; the split of a link is its distance from the roots, halved. */
  char[] splits() {
    return splits;
  }

  float[] leaves() {
    return leaves;
  }

  /** A node that goes to the first child whatever the ranks. */
  char never() {
    return (char) ((1 << rankBits) - 1);
  }

  int rankBits() {
    return rankBits;
  }

  /** By feature the rank of its value, as nodes are written; as many as a node can name. */
  int[] ranks(float[] vector) {
    int[] ranks = new int[1 << (Character.SIZE - rankBits)];
    for (int feature = 0; feature < thresholds.length; feature++) {
      ranks[feature] = (feature << rankBits) + rank(thresholds[feature], key(vector[feature]));
    }
    return ranks;
  }

  /** The trees in their order. */
  List<Tree> unfolded() {
    Tree[] made = new Tree[links.length];
    int mask = (1 << rankBits) - 1;
    for (int node = links.length - 1; node >= 0; node--) {
      int link = links[node];
      if (link < 0) {
        made[node] = new Tree.Leaf(leaves[~link]);
      } else {
        char split = splits[(link - trees) / 2];
        int feature = split >>> rankBits;
        float threshold = value(thresholds[feature][split & mask]);
        made[node] = new Tree.Split(feature, threshold, made[link], made[link + 1]);
      }
    }
    return List.of(made).subList(0, trees);
  }

  /** Writes what {@link #readFrom} reads. */
  void writeTo(PayloadWriter out) throws IOException {
    out.writeFloat(base);
    out.writeInt(thresholds.length);
    for (int[] some : thresholds) {
      out.writeInt(some.length);
      for (int key : some) {
        out.writeFloat(value(key));
      }
    }
    out.writeInt(splits.length);
    out.writeInt(leaves.length);
    out.write(shape);
    out.writeChars(splits);
    out.writeFloats(leaves);
  }

  /**
   * Reads nodes over at most so many features.
   *
   * @throws IllegalArgumentException when they are no trees
   */
  static FlatNodes readFrom(PayloadReader in, int maxFeatures) {
    float base = in.readFiniteFloats(1)[0];
    int features = in.readInt();
    if (features < 1 || features > maxFeatures) {
      throw new IllegalArgumentException("its trees look at " + features + " features");
    }
    int[][] thresholds = new int[features][];
    for (int feature = 0; feature < features; feature++) {
      thresholds[feature] = keys(in.readFloats(in.readInt()));
    }
    int splits = in.readInt();
    int leaves = in.readInt();
    if (splits < 0 || leaves < splits) {
      throw new IllegalArgumentException(splits + " splits and " + leaves + " leaves are no trees");
    }
    byte[] shape = in.readBytes(Math.ceilDiv(Math.addExact(splits, leaves), Byte.SIZE));
    return new FlatNodes(
        base, thresholds, shape, in.readChars(splits), in.readFiniteFloats(leaves));
  }

  private static int[] keys(float[] ascending) {
    int[] keys = new int[ascending.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = key(ascending[i]);
      if (Float.isNaN(ascending[i]) || (i > 0 && keys[i] <= keys[i - 1])) {
        throw new IllegalArgumentException("thresholds do not ascend at " + ascending[i]);
      }
    }
    return keys;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FlatNodes that
        && base == that.base
        && Arrays.deepEquals(thresholds, that.thresholds)
        && Arrays.equals(shape, that.shape)
        && Arrays.equals(splits, that.splits)
        && Arrays.equals(leaves, that.leaves);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(leaves);
  }
}
