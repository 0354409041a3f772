package dev.cotenant.evaluation.compare;

import dev.cotenant.predictor.train.Folds;
import java.util.List;

/**
 * A learner whose settings are chosen inside the rows that it is given: the candidate of least mean
 * squared error over five random folds, the first of equals, learns from all of them.
 *
 * <p>The test rows of an evaluation are never among those, which makes the search a nested one.
 */
public final class CrossValidated implements RegressionLearner {
  private static final int FOLDS = 5;

  private final String name;
  private final List<RegressionLearner> grid;

  /**
   * @param name in evaluation tables
   * @param grid candidates, at least one
   */
  public CrossValidated(String name, List<? extends RegressionLearner> grid) {
    if (grid.isEmpty()) {
      throw new IllegalArgumentException("grid must not be empty");
    }
    this.name = name;
    this.grid = List.copyOf(grid);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    return choose(rows, targets, seed).fit(rows, targets, seed);
  }

  /** The candidate that {@link #fit} takes. */
  public RegressionLearner choose(float[][] rows, double[] targets, long seed) {
    RegressionLearner best = grid.getFirst();
    if (grid.size() == 1) {
      return best;
    }
    List<Folds.Split> folds = Folds.random(rows.length, FOLDS, seed);
    Sample sample = new Sample(rows, targets);
    double least = Double.POSITIVE_INFINITY;
    for (RegressionLearner candidate : grid) {
      double error = squaredError(candidate, sample, folds, seed);
      if (error < least) {
        least = error;
        best = candidate;
      }
    }
    return best;
  }

  private static double squaredError(
      RegressionLearner candidate, Sample all, List<Folds.Split> folds, long seed) {
    double sum = 0;
    for (Folds.Split fold : folds) {
      Sample train = all.select(fold.train());
      Regression learned = candidate.fit(train.rows(), train.targets(), seed);
      for (int row : fold.test()) {
        double miss = learned.predict(all.rows()[row]) - all.targets()[row];
        sum += miss * miss;
      }
    }
    return sum;
  }

  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  private record Sample(float[][] rows, double[] targets) {
    Sample select(int[] chosen) {
      float[][] chosenRows = new float[chosen.length][];
      double[] chosenTargets = new double[chosen.length];
      for (int i = 0; i < chosen.length; i++) {
        chosenRows[i] = rows[chosen[i]];
        chosenTargets[i] = targets[chosen[i]];
      }
      return new Sample(chosenRows, chosenTargets);
    }
  }
}
