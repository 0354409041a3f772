package dev.cotenant.predictor.boost;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * Boosts regression trees for the squared error.
 *
 * <p>Same rows, settings and seed give the same trees. Not thread safe; one for each fit.
 */
public final class BoostingLearner {
  // Idea: each tree fits what the sum of those before still misses [Friedman, "Greedy Function
  // Approximation: A Gradient Boosting Machine", 2001], on a random share of rows ["Stochastic
  // Gradient Boosting", 2002] and features, and gives a share of its answer. A leaf answers
  // Σ w·r / (Σ w + λ); a split is worth the rise of Σ (Σ w·r)² / (Σ w + λ) [Chen and Guestrin,
  // "XGBoost", 2016, section 2]. Splits are looked for between histogram bins, level by level;
  // of two siblings the smaller is summed and the larger is what is left [Ke et al., "LightGBM",
  // 2017]. Cost: rounds × depth × rows × features × shares.
  private final BoostingSettings settings;
  private final Bins bins;
  private final double[] weights;
  private final double[] residuals;
  private final RandomGenerator random;
  private final int inner;

  private final short[] splitFeatures;
  private final float[] thresholds;
  private final float[] leaves;

  private BoostingLearner(
      float[][] rows, double[] targets, double[] weights, BoostingSettings settings, long seed) {
    this.settings = settings;
    this.weights = weights;
    bins = Bins.of(rows);
    residuals = targets.clone();
    random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    inner = (1 << settings.depth()) - 1;
    splitFeatures = new short[settings.rounds() * inner];
    thresholds = new float[splitFeatures.length];
    leaves = new float[settings.rounds() * (inner + 1)];
  }

  /**
   * Trees for these rows.
   *
   * @param rows at least one vector; all of one length, all values finite
   * @param targets what to answer for each
   * @param weights how much each counts, above 0
   * @throws IllegalArgumentException when the three do not fit together or a value is not finite
   */
  public static BoostedTrees fit(
      float[][] rows, double[] targets, double[] weights, BoostingSettings settings, long seed) {
    require(rows, targets, weights);
    BoostingLearner learner = new BoostingLearner(rows, targets, weights, settings, seed);
    for (int round = 0; round < settings.rounds(); round++) {
      learner.grow(round);
    }
    return new BoostedTrees(
        settings.depth(),
        rows[0].length,
        learner.splitFeatures,
        learner.thresholds,
        learner.leaves);
  }

  /** As {@link #fit}, all rows counting alike. */
  public static BoostedTrees fit(
      float[][] rows, double[] targets, BoostingSettings settings, long seed) {
    double[] alike = new double[rows.length];
    Arrays.fill(alike, 1);
    return fit(rows, targets, alike, settings, seed);
  }

  private static void require(float[][] rows, double[] targets, double[] weights) {
    if (rows.length == 0 || rows.length != targets.length || rows.length != weights.length) {
      throw new IllegalArgumentException(
          rows.length
              + " rows, "
              + targets.length
              + " targets and "
              + weights.length
              + " weights: must be as many and at least one");
    }
    if (rows[0].length == 0 || rows[0].length > Short.MAX_VALUE) {
      throw new IllegalArgumentException(
          "vectors must have 1 to " + Short.MAX_VALUE + " values, have " + rows[0].length);
    }
    for (int i = 0; i < rows.length; i++) {
      boolean isGood =
          rows[i].length == rows[0].length
              && Double.isFinite(targets[i])
              && weights[i] > 0
              && weights[i] < Double.POSITIVE_INFINITY;
      for (float value : rows[i]) {
        isGood &= Float.isFinite(value);
      }
      if (!isGood) {
        throw new IllegalArgumentException("row " + i + " has a length or value that cannot be");
      }
    }
  }

  private void grow(int round) {
    int[] rows = sample(bins.rows(), settings.rowShare());
    int[] features = sample(bins.features(), settings.featureShare());
    Level level = new Level(rows, features);
    int base = round * inner;
    Arrays.fill(thresholds, base, base + inner, Float.POSITIVE_INFINITY);
    for (int depth = 0; depth < settings.depth(); depth++) {
      level = level.split(base);
    }
    int[] leafOf = leavesOf(base);
    answer(round * (inner + 1), rows, leafOf);
    for (int row = 0; row < leafOf.length; row++) {
      residuals[row] -= leaves[round * (inner + 1) + leafOf[row]];
    }
  }

  /** In ascending order; at least one. */
  private int[] sample(int count, double share) {
    int wanted = Math.max(1, (int) Math.round(count * share));
    int[] chosen = new int[wanted];
    int taken = 0;
    for (int i = 0; taken < wanted; i++) {
      if (random.nextInt(count - i) < wanted - taken) {
        chosen[taken++] = i;
      }
    }
    return chosen;
  }

  private int[] leavesOf(int base) {
    int[] leafOf = new int[bins.rows()];
    for (int row = 0; row < leafOf.length; row++) {
      int node = 0;
      for (int depth = 0; depth < settings.depth(); depth++) {
        int at = base + node;
        boolean isAbove =
            thresholds[at] != Float.POSITIVE_INFINITY
                && bins.bin(splitFeatures[at], row) > splitBins[node];
        node = 2 * node + (isAbove ? 2 : 1);
      }
      leafOf[row] = node - inner;
    }
    return leafOf;
  }

  private void answer(int first, int[] rows, int[] leafOf) {
    double[] sums = new double[inner + 1];
    double[] masses = new double[inner + 1];
    for (int row : rows) {
      sums[leafOf[row]] += weights[row] * residuals[row];
      masses[leafOf[row]] += weights[row];
    }
    for (int leaf = 0; leaf <= inner; leaf++) {
      if (masses[leaf] > 0) {
        double mean = sums[leaf] / (masses[leaf] + settings.shrinkage());
        leaves[first + leaf] = (float) (settings.learningRate() * mean);
      }
    }
  }

  /** The bin of each node's threshold in the tree that grows. */
  private final int[] splitBins = new int[1 << BoostingSettings.MAX_DEPTH];

  /** Rows of one part of the tree with the sums of their residuals by feature and bin. */
  private static final class Part {
    private final int node;
    private final int[] rows;
    private final double[] sums;
    private final double[] masses;

    Part(int node, int[] rows, double[] sums, double[] masses) {
      this.node = node;
      this.rows = rows;
      this.sums = sums;
      this.masses = masses;
    }
  }

  /** The nodes of one depth that may still be split. */
  private final class Level {
    private final int[] features;
    private final int[] offsets;
    private final Part[] parts;

    Level(int[] rows, int[] features) {
      this.features = features;
      offsets = new int[features.length + 1];
      for (int i = 0; i < features.length; i++) {
        offsets[i + 1] = offsets[i] + bins.count(features[i]);
      }
      parts = new Part[] {part(0, rows)};
    }

    private Level(Level above, Part[] parts) {
      features = above.features;
      offsets = above.offsets;
      this.parts = parts;
    }

    private Part part(int node, int[] rows) {
      double[] sums = new double[offsets[features.length]];
      double[] masses = new double[sums.length];
      for (int i = 0; i < features.length; i++) {
        byte[] column = bins.column(features[i]);
        int offset = offsets[i];
        for (int row : rows) {
          int at = offset + (column[row] & 0xff);
          sums[at] += weights[row] * residuals[row];
          masses[at] += weights[row];
        }
      }
      return new Part(node, rows, sums, masses);
    }

    Level split(int base) {
      Part[] below = new Part[2 * parts.length];
      int count = 0;
      for (Part part : parts) {
        Split best = best(part);
        if (best != null) {
          thresholds[base + part.node] = bins.threshold(best.feature(), best.bin());
          splitFeatures[base + part.node] = (short) best.feature();
          splitBins[part.node] = best.bin();
          Part[] children = children(part, best);
          below[count++] = children[0];
          below[count++] = children[1];
        }
      }
      return new Level(this, Arrays.copyOf(below, count));
    }

    private @Nullable Split best(Part part) {
      double total = 0;
      double mass = 0;
      for (int at = offsets[0]; at < offsets[1]; at++) {
        total += part.sums[at];
        mass += part.masses[at];
      }
      Split best = null;
      double most = worth(total, mass) * (1 + 1e-12);
      for (int i = 0; i < features.length; i++) {
        double left = 0;
        double leftMass = 0;
        for (int at = offsets[i]; at < offsets[i + 1] - 1; at++) {
          left += part.sums[at];
          leftMass += part.masses[at];
          boolean isAllowed =
              leftMass >= settings.leafWeight() && mass - leftMass >= settings.leafWeight();
          double worth =
              isAllowed ? worth(left, leftMass) + worth(total - left, mass - leftMass) : 0;
          if (worth > most) {
            most = worth;
            best = new Split(features[i], at - offsets[i]);
          }
        }
      }
      return best;
    }

    private double worth(double sum, double mass) {
      return sum * sum / (mass + settings.shrinkage());
    }

    private Part[] children(Part part, Split split) {
      byte[] column = bins.column(split.feature());
      int below = 0;
      for (int row : part.rows) {
        below += (column[row] & 0xff) <= split.bin() ? 1 : 0;
      }
      int[] left = new int[below];
      int[] right = new int[part.rows.length - below];
      int l = 0;
      int r = 0;
      for (int row : part.rows) {
        if ((column[row] & 0xff) <= split.bin()) {
          left[l++] = row;
        } else {
          right[r++] = row;
        }
      }
      int first = 2 * part.node + 1;
      boolean isLeftSmaller = left.length <= right.length;
      Part small = isLeftSmaller ? part(first, left) : part(first + 1, right);
      Part large =
          rest(part, small, isLeftSmaller ? first + 1 : first, isLeftSmaller ? right : left);
      return isLeftSmaller ? new Part[] {small, large} : new Part[] {large, small};
    }

    private Part rest(Part whole, Part small, int node, int[] rows) {
      double[] sums = whole.sums;
      double[] masses = whole.masses;
      for (int at = 0; at < sums.length; at++) {
        sums[at] -= small.sums[at];
        masses[at] -= small.masses[at];
      }
      return new Part(node, rows, sums, masses);
    }
  }

  /** Values up to the bin go left. */
  private record Split(int feature, int bin) {}
}
