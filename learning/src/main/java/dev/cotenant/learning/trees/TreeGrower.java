package dev.cotenant.learning.trees;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Grows trees in sequence on the remaining residuals; not thread safe. */
final class TreeGrower {
  private static final Comparator<Part> MAX_GAIN_FIRST =
      Comparator.comparingDouble((Part part) -> -part.gain).thenComparingInt(part -> part.number);

  /** Splits that gain less than this share are rounding. */
  private static final double MIN_RISE = 1e-12;

  private final Bins bins;
  private final double[] residuals;
  private final double[] weights;
  private final BoostingSettings settings;
  private final Loss.Leaves leaves;

  /** Of the tree that grows: what it may split on and where each feature's bins begin in sums. */
  private int[] features = {};

  private int[] offsets = {};
  private double[] slopes = {};

  /**
   * @param residuals residuals by row; every tree subtracts its predictions
   */
  TreeGrower(Bins bins, double[] residuals, double[] weights, BoostingSettings settings) {
    this.bins = bins;
    this.residuals = residuals;
    this.weights = weights;
    this.settings = settings;
    leaves = new Loss.Leaves(weights, settings.shrinkage());
  }

  /** Rows that reach one node, with sums of slope and weight by feature and bin. */
  private static final class Part {
    private final int number;
    private final int depth;
    private final int[] seen;
    private final int[] unseen;
    private double[] sums = {};
    private double[] masses = {};
    private double gain;
    private @Nullable Split split;
    private @Nullable Part low;
    private @Nullable Part high;

    /**
     * @param seen rows of the sample, ascending
     * @param unseen the other rows
     */
    Part(int number, int depth, int[] seen, int[] unseen) {
      this.number = number;
      this.depth = depth;
      this.seen = seen;
      this.unseen = unseen;
    }
  }

  /** Values up to the bin go low. */
  private record Split(int feature, int bin) {}

  /** A tree on a sample of rows and features, both ascending. */
  Tree grow(int[] rows, int[] sampledFeatures) {
    features = sampledFeatures;
    offsets = new int[features.length + 1];
    for (int i = 0; i < features.length; i++) {
      offsets[i + 1] = offsets[i] + bins.count(features[i]);
    }
    slopes = settings.loss().slopes(residuals);
    Part root = new Part(0, 0, rows, others(rows));
    sum(root);
    Queue<Part> open = new PriorityQueue<>(MAX_GAIN_FIRST);
    offer(root, open);
    for (int count = 1; count < settings.leaves() && !open.isEmpty(); count++) {
      Part part = open.remove();
      Split split = part.split;
      if (split != null) {
        branch(part, split, 2 * count - 1, open);
      }
    }
    return finished(root);
  }

  private int[] others(int[] rows) {
    int[] others = new int[bins.rows() - rows.length];
    int next = 0;
    int other = 0;
    for (int row = 0; row < bins.rows(); row++) {
      if (next < rows.length && rows[next] == row) {
        next++;
      } else {
        others[other++] = row;
      }
    }
    return others;
  }

  private void sum(Part part) {
    int[] rows = part.seen;
    double[] slope = new double[rows.length];
    double[] mass = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      mass[i] = weights[rows[i]];
      slope[i] = mass[i] * slopes[rows[i]];
    }
    double[] sums = new double[offsets[features.length]];
    double[] masses = new double[sums.length];
    for (int f = 0; f < features.length; f++) {
      byte[] column = bins.column(features[f]);
      int offset = offsets[f];
      for (int i = 0; i < rows.length; i++) {
        int at = offset + (column[rows[i]] & 0xff);
        sums[at] += slope[i];
        masses[at] += mass[i];
      }
    }
    part.sums = sums;
    part.masses = masses;
  }

  /** Queues a part that is worth splitting. */
  private void offer(Part part, Queue<Part> open) {
    findSplit(part);
    if (part.split != null) {
      open.add(part);
    }
  }

  private void findSplit(Part part) {
    double total = 0;
    double mass = 0;
    for (int at = offsets[0]; at < offsets[1]; at++) {
      total += part.sums[at];
      mass += part.masses[at];
    }
    double whole = worth(total, mass);
    double most = whole * (1 + MIN_RISE);
    double least = settings.leafWeight();
    for (int f = 0; f < features.length; f++) {
      double low = 0;
      double lowMass = 0;
      for (int at = offsets[f]; at < offsets[f + 1] - 1; at++) {
        low += part.sums[at];
        lowMass += part.masses[at];
        boolean isAllowed = lowMass >= least && mass - lowMass >= least;
        double worth = isAllowed ? worth(low, lowMass) + worth(total - low, mass - lowMass) : 0;
        if (worth > most) {
          most = worth;
          part.gain = worth - whole;
          part.split = new Split(features[f], at - offsets[f]);
        }
      }
    }
  }

  private double worth(double sum, double mass) {
    return sum * sum / (mass + settings.shrinkage());
  }

  private void branch(Part part, Split split, int number, Queue<Part> open) {
    byte[] column = bins.column(split.feature());
    int[][] seen = parted(part.seen, column, split.bin());
    int[][] unseen = parted(part.unseen, column, split.bin());
    Part low = new Part(number, part.depth + 1, seen[0], unseen[0]);
    Part high = new Part(number + 1, part.depth + 1, seen[1], unseen[1]);
    part.low = low;
    part.high = high;
    if (low.depth < settings.depth()) {
      boolean isLowSmaller = seen[0].length <= seen[1].length;
      sum(isLowSmaller ? low : high);
      subtract(part, isLowSmaller ? low : high, isLowSmaller ? high : low);
      offer(low, open);
      offer(high, open);
    }
    part.sums = new double[0];
    part.masses = part.sums;
  }

  private static int[][] parted(int[] rows, byte[] column, int bin) {
    int below = 0;
    for (int row : rows) {
      below += (column[row] & 0xff) <= bin ? 1 : 0;
    }
    int[] low = new int[below];
    int[] high = new int[rows.length - below];
    int l = 0;
    int h = 0;
    for (int row : rows) {
      if ((column[row] & 0xff) <= bin) {
        low[l++] = row;
      } else {
        high[h++] = row;
      }
    }
    return new int[][] {low, high};
  }

  /** The larger child gets the parent's sums less the smaller child's. */
  private static void subtract(Part whole, Part small, Part large) {
    for (int at = 0; at < whole.sums.length; at++) {
      whole.sums[at] -= small.sums[at];
      whole.masses[at] -= small.masses[at];
    }
    large.sums = whole.sums;
    large.masses = whole.masses;
  }

  /** The tree below a part; takes the answers of its leaves off the residuals. */
  private Tree finished(Part part) {
    Split split = part.split;
    if (split != null && part.low != null && part.high != null) {
      float threshold = bins.threshold(split.feature(), split.bin());
      return new Tree.Split(split.feature(), threshold, finished(part.low), finished(part.high));
    }
    double answer = settings.loss().answer(part.seen, residuals, leaves);
    float value = (float) (settings.learningRate() * answer);
    takeOff(part.seen, value);
    takeOff(part.unseen, value);
    return new Tree.Leaf(value);
  }

  private void takeOff(int[] rows, float value) {
    for (int row : rows) {
      residuals[row] -= value;
    }
  }
}
