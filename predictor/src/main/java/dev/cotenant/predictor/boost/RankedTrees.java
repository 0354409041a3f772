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

  /**
   * @param leaves not copied
   * @throws IllegalArgumentException when there are more features and thresholds of one than 16
   *     bits can name
   */
  RankedTrees(int depth, int features, Splits splits, float[] leaves) {
    this.leaves = leaves;
    thresholds = new int[features][];
    int[] counts = new int[features];
    for (short feature : splits.features()) {
      counts[feature]++;
    }
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
    rankBits = rankBits(thresholds);
    levels = new char[depth][];
    int trees = leaves.length >> depth;
    int inner = (1 << depth) - 1;
    for (int level = 0; level < depth; level++) {
      int width = 1 << level;
      levels[level] = new char[trees * width];
      for (int place = 0; place < levels[level].length; place++) {
        int node = place / width * inner + width - 1 + place % width;
        int feature = splits.features()[node];
        int rank = rank(thresholds[feature], key(splits.thresholds()[node]));
        levels[level][place] = (char) ((feature << rankBits) + rank);
      }
    }
  }

  /** What is compared at each node, tree by tree; not copied. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record Splits(short[] features, float[] thresholds) {}

  private static int rankBits(int[][] thresholds) {
    int bits = Character.SIZE - bits(thresholds.length);
    int most = Arrays.stream(thresholds).mapToInt(some -> some.length).max().orElse(0);
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
