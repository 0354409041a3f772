package dev.cotenant.evaluation.compare;

import dev.cotenant.evaluation.learner.ForestLearner;
import dev.cotenant.evaluation.learner.ForestSettings;
import java.util.List;
import java.util.stream.Stream;

/**
 * A random forest on vectors that begin as those of {@link dev.cotenant.predictor.model.Feature}
 * do, grown by Smile.
 *
 * @param settings how it is grown
 */
public record ForestRegression(ForestSettings settings) implements RegressionLearner {
  /** The family of [UtilPred, Table 3]. */
  private static final String NAME = "forest";

  /**
   * Forests of so many trees, the settings chosen by five-fold cross-validation. The grid allows
   * smaller leaves than that of {@link ForestSettings}, which a few dozen rows need.
   */
  public static RegressionLearner searched(int trees) {
    List<ForestRegression> grid =
        Stream.of(0.34, 0.5, 1.0)
            .flatMap(share -> Stream.of(1, 3).map(rows -> new ForestSettings(trees, share, rows)))
            .map(ForestRegression::new)
            .toList();
    return new CrossValidated(NAME, grid);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Regression fit(float[][] rows, double[] targets, long seed) {
    return ForestLearner.grow(rows, targets, settings, seed)::applyAsDouble;
  }
}
