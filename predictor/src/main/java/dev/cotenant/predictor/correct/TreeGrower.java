package dev.cotenant.predictor.correct;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Grows regression trees of least squares on fixed rows. */
final class TreeGrower {
  /*
   * Exact greedy splits: each feature's order of all rows is sorted once, and a node walks it over its
   * own rows with running sums: O(depth · features · rows) a tree. Ties go to the first
   * feature and the lowest threshold.
   */
  private static final int DEPTH = 3;
  private static final int LEAST_ROWS = 10;
  private static final double LEAST_GAIN = 1e-9;

  private final double[][] features;
  private final int[][] orders;

  TreeGrower(double[][] features) {
    this.features = features;
    orders = new int[QuestionFeatures.COUNT][];
    for (int feature = 0; feature < orders.length; feature++) {
      int column = feature;
      orders[feature] =
          IntStream.range(0, features.length)
              .boxed()
              .sorted(Comparator.comparingDouble(row -> features[row][column]))
              .mapToInt(Integer::intValue)
              .toArray();
    }
  }

  private record Split(int feature, double threshold, double gain) {
    static final Split NONE = new Split(-1, 0, LEAST_GAIN);
  }

  private static final class Nodes {
    final List<Integer> feature = new ArrayList<>();
    final List<Double> value = new ArrayList<>();
    final List<Integer> left = new ArrayList<>();
    final List<Integer> right = new ArrayList<>();

    int add(int splitFeature, double splitValue) {
      feature.add(splitFeature);
      value.add(splitValue);
      left.add(0);
      right.add(0);
      return feature.size() - 1;
    }

    RegressionTree build() {
      return new RegressionTree(
          ints(feature),
          value.stream().mapToDouble(Double::doubleValue).toArray(),
          ints(left),
          ints(right));
    }

    private static int[] ints(List<Integer> list) {
      return list.stream().mapToInt(Integer::intValue).toArray();
    }
  }

  /** A tree whose leaves are the means of {@code errors} times {@code shrinkage}. */
  RegressionTree grow(double[] errors, double shrinkage) {
    boolean[] all = new boolean[errors.length];
    Arrays.fill(all, true);
    double[] scaled = Arrays.stream(errors).map(error -> error * shrinkage).toArray();
    Nodes nodes = new Nodes();
    grow(nodes, scaled, all, DEPTH);
    return nodes.build();
  }

  private int grow(Nodes nodes, double[] errors, boolean[] in, int depth) {
    Split split = depth == 0 ? Split.NONE : best(errors, in);
    if (split.feature < 0) {
      return nodes.add(-1, mean(errors, in));
    }
    int node = nodes.add(split.feature, split.threshold);
    boolean[] lower = new boolean[in.length];
    boolean[] upper = new boolean[in.length];
    for (int row = 0; row < in.length; row++) {
      boolean low = features[row][split.feature] <= split.threshold;
      lower[row] = in[row] && low;
      upper[row] = in[row] && !low;
    }
    nodes.left.set(node, grow(nodes, errors, lower, depth - 1));
    nodes.right.set(node, grow(nodes, errors, upper, depth - 1));
    return node;
  }

  private static double mean(double[] errors, boolean[] in) {
    return IntStream.range(0, in.length)
        .filter(row -> in[row])
        .mapToDouble(row -> errors[row])
        .average()
        .orElse(0);
  }

  private Split best(double[] errors, boolean[] in) {
    double sum = 0;
    int count = 0;
    for (int row = 0; row < in.length; row++) {
      if (in[row]) {
        sum += errors[row];
        count++;
      }
    }
    Split best = Split.NONE;
    for (int feature = 0; feature < orders.length && count >= 2 * LEAST_ROWS; feature++) {
      Split split = best(feature, errors, in, new double[] {sum, count});
      best = split.gain > best.gain ? split : best;
    }
    return best;
  }

  /**
   * @param total sum of errors and number of rows of the node
   */
  private Split best(int feature, double[] errors, boolean[] in, double[] total) {
    Split best = Split.NONE;
    double sum = 0;
    int below = 0;
    double before = 0;
    for (int row : orders[feature]) {
      if (!in[row]) {
        continue;
      }
      double here = features[row][feature];
      double above = total[1] - below;
      if (below >= LEAST_ROWS && above >= LEAST_ROWS && here > before) {
        double rest = total[0] - sum;
        double gain = sum * sum / below + rest * rest / above - total[0] * total[0] / total[1];
        if (gain > best.gain) {
          best = new Split(feature, before + (here - before) / 2, gain);
        }
      }
      sum += errors[row];
      below++;
      before = here;
    }
    return best;
  }
}
