package dev.cotenant.predictor.train;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.learning.trees.TreeLearner;

/**
 * The inputs of a training.
 *
 * @param seed every random choice follows from it
 * @param coverage the share of cases that each bound is meant to hold
 * @param learner grows the trees of the corrections
 */
public record TrainingSettings(long seed, Coverage coverage, TreeLearner learner) {
  public TrainingSettings {
    if (!(coverage.fraction() > 0 && coverage.fraction() < 1)) {
      throw new IllegalArgumentException("coverage must be in (0, 1), is " + coverage.fraction());
    }
  }

  /** The same with another seed. */
  public TrainingSettings withSeed(long other) {
    return new TrainingSettings(other, coverage, learner);
  }

  /** The same with another learner. */
  public TrainingSettings withLearner(TreeLearner other) {
    return new TrainingSettings(seed, coverage, other);
  }

  /** The learner of the shipped predictor, and bounds for 90 % of cases. */
  public static TrainingSettings standard(long seed) {
    return new TrainingSettings(seed, Coverage.STANDARD, new ResidualBoosting());
  }
}
