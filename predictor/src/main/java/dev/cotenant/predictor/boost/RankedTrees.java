package dev.cotenant.predictor.boost;

import java.util.Arrays;

/**
 * The nodes of {@link BoostedTrees} in the form that is asked. Immutable.
 *
 * <p>Idea: a value's rank among all thresholds of its feature says all that any node asks of it,
 * since x &gt; tₖ exactly when more than k thresholds lie below x. Ranks are looked up once a row;
 * then a node is two bytes, and descending is integer arithmetic without a branch. Many trees
 * descend together, level by level, so that the processor waits for many reads at once. Each tree
 * answers as its thresholds say, to the bit.
 */
final class RankedTrees {
  /** Trees that descend together. */
  private static final int BLOCK = 128;

  /** A node: its feature above, the rank of its threshold in so many bits below. */
  private final int rankBits;

  /** The nodes of one level of all trees; the children of place i are 2i and 2i + 1 on the next. */
  private final char[][] levels;

  private final float[] leaves;

  /** By feature the {@link #key}s of its thresholds, each once, from the smallest. */
  private final int[][] thresholds;

  private RankedTrees(int[][] thresholds, char[][] levels, float[] leaves) {
    this.thresholds = thresholds;
    this.levels = levels;
    this.leaves = leaves;
    rankBits = rankBits(thresholds);
  }

  /** What is compared at each node, tree by tree; not copied. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record Splits(short[] features, float[] thresholds) {}

  /**
   * @param leaves not copied
   * @throws IllegalArgumentException when there are more features and thresholds of one than 16
   *     bits can name
   */
  static RankedTrees of(int depth, int features, Splits splits, float[] leaves) {
    int[][] thresholds = thresholds(features, splits);
    int bits = rankBits(thresholds);
    char[][] levels = new char[depth][];
    for (int level = 0; level < depth; level++) {
      levels[level] = new char[(leaves.length >> depth) << level];
      for (int place = 0; place < levels[level].length; place++) {
        int node = node(depth, level, place);
        int feature = splits.features()[node];
        int rank = rank(thresholds[feature], key(splits.thresholds()[node]));
        levels[level][place] = (char) ((feature << bits) + rank);
      }
    }
    return new RankedTrees(thresholds, levels, leaves);
  }

  /** By feature the keys of its thresholds, each once, from the smallest. */
  private static int[][] thresholds(int features, Splits splits) {
    int[] counts = new int[features];
    for (short feature : splits.features()) {
      counts[feature]++;
    }
    int[][] thresholds = new int[features][];
    for (int feature = 0; feature < features; feature++) {
      thresholds[feature] = new int[counts[feature]];
    }
    for (int i = 0; i < splits.features().length; i++) {
      int feature = splits.features()[i];
      thresholds[feature][--counts[feature]] = key(splits.thresholds()[i]);
    }
    for (int feature = 0; feature < features; feature++) {
      thresholds[feature] = distinct(thresholds[feature]);
    }
    return thresholds;
  }

  /** Where a place of a level is among the inner nodes, tree by tree. */
  private static int node(int depth, int level, int place) {
    int width = 1 << level;
    return (place >> level) * ((1 << depth) - 1) + width - 1 + (place & (width - 1));
  }

  /**
   * @param ranks not copied
   * @throws IllegalArgumentException when they are no trees of that depth
   */
  static RankedTrees of(int depth, BoostedTrees.Ranks ranks) {
    int trees = ranks.leaves().length >> depth;
    char[] nodes = ranks.nodes();
    if (ranks.leaves().length != trees << depth || nodes.length != trees * ((1 << depth) - 1)) {
      throw new IllegalArgumentException(
          nodes.length
              + " nodes and "
              + ranks.leaves().length
              + " leaves are no trees of depth "
              + depth);
    }
    requireFinite(ranks.leaves());
    int[][] thresholds = keys(ranks.thresholds());
    requireRanks(nodes, thresholds);
    char[][] levels = new char[depth][];
    for (int level = 0; level < depth; level++) {
      int from = trees * ((1 << level) - 1);
      levels[level] = Arrays.copyOfRange(nodes, from, from + (trees << level));
    }
    return new RankedTrees(thresholds, levels, ranks.leaves());
  }

  private static int[][] keys(float[][] thresholds) {
    int[][] keys = new int[thresholds.length][];
    for (int feature = 0; feature < keys.length; feature++) {
      keys[feature] = new int[thresholds[feature].length];
      for (int i = 0; i < keys[feature].length; i++) {
        float threshold = thresholds[feature][i];
        keys[feature][i] = key(threshold);
        if (Float.isNaN(threshold) || (i > 0 && keys[feature][i] <= keys[feature][i - 1])) {
          throw new IllegalArgumentException("thresholds do not ascend at " + threshold);
        }
      }
    }
    return keys;
  }

  private static void requireRanks(char[] nodes, int[][] thresholds) {
    int bits = rankBits(thresholds);
    int[] counts = new int[1 << (Character.SIZE - bits)];
    for (int feature = 0; feature < thresholds.length; feature++) {
      counts[feature] = thresholds[feature].length;
    }
    int mask = (1 << bits) - 1;
    int all = -1;
    for (char node : nodes) {
      all &= (node & mask) - counts[node >>> bits]; // below 0 where the rank is one
    }
    if (nodes.length > 0 && all >= 0) {
      throw new IllegalArgumentException("a node compares with a threshold that there is not");
    }
  }

  static void requireFinite(float[] leaves) {
    float zero = 0;
    for (float leaf : leaves) {
      zero += 0 * leaf; // not a number where the leaf is none or infinite
    }
    if (zero != 0) {
      throw new IllegalArgumentException("a leaf is infinite or no number");
    }
  }

  /** In the form that {@link #of(int, BoostedTrees.Ranks)} takes; copies. */
  BoostedTrees.Ranks ranks() {
    float[][] values = new float[thresholds.length][];
    for (int feature = 0; feature < values.length; feature++) {
      values[feature] = new float[thresholds[feature].length];
      for (int i = 0; i < values[feature].length; i++) {
        values[feature][i] = value(thresholds[feature][i]);
      }
    }
    char[] nodes = new char[trees() * ((1 << depth()) - 1)];
    int next = 0;
    for (char[] level : levels) {
      System.arraycopy(level, 0, nodes, next, level.length);
      next += level.length;
    }
    return new BoostedTrees.Ranks(values, nodes, leaves.clone());
  }

  /** What is compared at each node, tree by tree; copies. */
  Splits splits() {
    int count = trees() * ((1 << depth()) - 1);
    Splits splits = new Splits(new short[count], new float[count]);
    int mask = (1 << rankBits) - 1;
    for (int level = 0; level < levels.length; level++) {
      for (int place = 0; place < levels[level].length; place++) {
        int node = node(depth(), level, place);
        int feature = levels[level][place] >>> rankBits;
        splits.features()[node] = (short) feature;
        splits.thresholds()[node] = value(thresholds[feature][levels[level][place] & mask]);
      }
    }
    return splits;
  }

  int depth() {
    return levels.length;
  }

  int trees() {
    return levels[0].length;
  }

  int features() {
    return thresholds.length;
  }

  boolean isLike(RankedTrees that) {
    return Arrays.deepEquals(thresholds, that.thresholds)
        && Arrays.deepEquals(levels, that.levels)
        && Arrays.equals(leaves, that.leaves);
  }

  int leavesHash() {
    return Arrays.hashCode(leaves);
  }

  private static int rankBits(int[][] thresholds) {
    int bits = Character.SIZE - bits(thresholds.length);
    int most = 0;
    for (int[] some : thresholds) {
      most = Math.max(most, some.length);
    }
    if (bits(most) > bits) {
      throw new IllegalArgumentException(
          thresholds.length + " features and " + most + " thresholds of one are too many");
    }
    return bits;
  }

  /** Least bits that tell so many numbers apart. */
  private static int bits(int numbers) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, numbers - 1));
  }

  private static int[] distinct(int[] keys) {
    Arrays.sort(keys);
    int count = 0;
    for (int key : keys) {
      if (count == 0 || key > keys[count - 1]) {
        keys[count++] = key;
      }
    }
    return Arrays.copyOf(keys, count);
  }

  /** Integers in the order of the floats; both zeros are one. */
  private static int key(float value) {
    int bits = Float.floatToRawIntBits(value + 0f);
    return bits ^ ((bits >> (Integer.SIZE - 1)) & Integer.MAX_VALUE);
  }

  /** The float of a key. */
  private static float value(int key) {
    return Float.intBitsToFloat(key ^ ((key >> (Integer.SIZE - 1)) & Integer.MAX_VALUE));
  }

  /** How many of the sorted keys are below: a binary search without a branch on its outcome. */
  private static int rank(int[] sorted, int key) {
    int low = 0;
    int length = sorted.length;
    while (length > 0) {
      int half = (length + 1) >>> 1;
      low += half & (int) (((long) sorted[low + half - 1] - key) >> (Long.SIZE - 1));
      length -= half;
    }
    return low;
  }

  double predict(float[] vector) {
    int[] ranks = ranks(vector);
    int trees = levels[0].length;
    int[] places = new int[Math.min(BLOCK, trees)];
    double sum = 0;
    for (int first = 0; first < trees; first += BLOCK) {
      int count = Math.min(BLOCK, trees - first);
      for (int i = 0; i < count; i++) {
        places[i] = first + i;
      }
      for (char[] level : levels) {
        descend(level, places, count, ranks);
      }
      for (int i = 0; i < count; i++) {
        sum += leaves[places[i]];
      }
    }
    return sum;
  }

  /** By feature the rank of its value, as nodes are written; as many as a node can name. */
  private int[] ranks(float[] vector) {
    int[] ranks = new int[1 << (Character.SIZE - rankBits)];
    for (int feature = 0; feature < thresholds.length; feature++) {
      int rank = rank(thresholds[feature], key(vector[feature]));
      ranks[feature] = (feature << rankBits) + rank;
    }
    return ranks;
  }

  /** From each place on a level to the first child or, where the rank is above, the second. */
  private void descend(char[] level, int[] places, int count, int[] ranks) {
    for (int i = 0; i < count; i++) {
      int place = places[i];
      int split = level[place];
      int below = split - ranks[(split >>> rankBits) & (ranks.length - 1)];
      places[i] = 2 * place + (below >>> (Integer.SIZE - 1));
    }
  }
}
