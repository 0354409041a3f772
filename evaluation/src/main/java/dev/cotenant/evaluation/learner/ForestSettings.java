package dev.cotenant.evaluation.learner;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How one forest is grown.
 *
 * @param trees trees, at least 1
 * @param featureShare share of the varying features that each split may choose from, in (0, 1]
 * @param leafRows fewest rows in a leaf, at least 1
 */
public record ForestSettings(int trees, double featureShare, int leafRows) {
  /** Deep enough to part any two of a few thousand rows; it bounds depth, not fit. */
  static final int MAX_DEPTH = 24;

  public ForestSettings {
    if (trees < 1) {
      throw new IllegalArgumentException("trees must be at least 1, is " + trees);
    }
    if (!(featureShare > 0 && featureShare <= 1)) {
      throw new IllegalArgumentException("featureShare must be in (0, 1], is " + featureShare);
    }
    if (leafRows < 1) {
      throw new IllegalArgumentException("leafRows must be at least 1, is " + leafRows);
    }
  }

  /** Every combination of the feature shares and leaf sizes that are worth trying, of 64 trees. */
  public static final List<ForestSettings> STANDARD = grid(64);

  private static List<ForestSettings> grid(int trees) {
    List<ForestSettings> grid = new ArrayList<>();
    for (double featureShare : new double[] {0.34, 0.5, 1}) {
      for (int leafRows : new int[] {3, 5}) {
        grid.add(new ForestSettings(trees, featureShare, leafRows));
      }
    }
    return grid;
  }

  /** Copy with a different number of trees. */
  public ForestSettings withTrees(int count) {
    return new ForestSettings(count, featureShare, leafRows);
  }

  int featuresPerSplit(int features) {
    return Math.clamp(Math.round(featureShare * features), 1, features);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d trees, %.0f %% of the features a split, at least %d rows a leaf, depth at most %d",
        trees,
        100 * featureShare,
        leafRows,
        MAX_DEPTH);
  }
}
