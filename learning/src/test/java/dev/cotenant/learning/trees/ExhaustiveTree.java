package dev.cotenant.learning.trees;

import java.util.Arrays;
import java.util.stream.IntStream;

/** An oracle: one greedy tree that tries every row's value of every feature as a threshold. */
final class ExhaustiveTree {
  private final Problem problem;
  private final BoostingSettings settings;
  private final double[] answers;

  ExhaustiveTree(Problem problem, BoostingSettings settings) {
    this.problem = problem;
    this.settings = settings;
    answers = new double[problem.rows.length];
    grow(IntStream.range(0, answers.length).toArray(), settings.depth());
  }

  /** What the tree answers for every row. */
  double[] answers() {
    return answers.clone();
  }

  private void grow(int[] rows, int depth) {
    double most = worth(rows);
    int[][] best = null;
    for (int feature = 0; depth > 0 && feature < problem.rows[0].length; feature++) {
      for (int row : rows) {
        int[][] parts = parts(rows, feature, problem.rows[row][feature]);
        if (parts[0].length >= settings.leafWeight()
            && parts[1].length >= settings.leafWeight()
            && worth(parts[0]) + worth(parts[1]) > most) {
          most = worth(parts[0]) + worth(parts[1]);
          best = parts;
        }
      }
    }
    if (best == null) {
      for (int row : rows) {
        answers[row] = settings.learningRate() * sum(rows) / (rows.length + settings.shrinkage());
      }
    } else {
      grow(best[0], depth - 1);
      grow(best[1], depth - 1);
    }
  }

  private int[][] parts(int[] rows, int feature, float threshold) {
    return new int[][] {
      Arrays.stream(rows).filter(row -> problem.rows[row][feature] <= threshold).toArray(),
      Arrays.stream(rows).filter(row -> problem.rows[row][feature] > threshold).toArray()
    };
  }

  private double worth(int[] rows) {
    return sum(rows) * sum(rows) / (rows.length + settings.shrinkage());
  }

  private double sum(int[] rows) {
    return Arrays.stream(rows).mapToDouble(row -> problem.targets[row]).sum();
  }
}
