package dev.cotenant.learning.trees;

import java.util.Arrays;
import java.util.Random;

/** Rows and targets to learn from. */
final class Problem {
  final float[][] rows;
  final double[] targets;

  private Problem(float[][] rows, double[] targets) {
    this.rows = rows;
    this.targets = targets;
  }

  static Problem empty() {
    return new Problem(new float[0][], new double[0]);
  }

  /** A smooth function of the first two features, with noise. */
  static Problem random(int rows, int features, long seed) {
    Problem problem = noise(rows, features, seed);
    for (int row = 0; row < rows; row++) {
      float[] x = problem.rows[row];
      problem.targets[row] = Math.sin(3 * x[0]) + x[0] * x[1] + 0.1 * problem.targets[row];
    }
    return problem;
  }

  /** Targets that have nothing to do with the features: mean 0, standard deviation 1. */
  static Problem noise(int rows, int features, long seed) {
    Random random = new Random(seed);
    float[][] vectors = new float[rows][features];
    double[] targets = new double[rows];
    for (int row = 0; row < rows; row++) {
      for (int feature = 0; feature < features; feature++) {
        vectors[row][feature] = (float) random.nextGaussian();
      }
      targets[row] = random.nextGaussian();
    }
    return new Problem(vectors, targets);
  }

  Problem with(float[] row, double target) {
    float[][] more = Arrays.copyOf(rows, rows.length + 1);
    double[] moreTargets = Arrays.copyOf(targets, targets.length + 1);
    more[rows.length] = row;
    moreTargets[targets.length] = target;
    return new Problem(more, moreTargets);
  }

  double squaredError(BoostedTrees trees) {
    double sum = 0;
    for (int row = 0; row < rows.length; row++) {
      double miss = trees.predict(rows[row]) - targets[row];
      sum += miss * miss;
    }
    return sum;
  }

  double squaredErrorOfZero() {
    return Arrays.stream(targets).map(target -> target * target).sum();
  }
}
