package dev.cotenant.learning.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Boosting of the pinball loss. */
class PinballTest {
  private static final int ROWS = 20_000;

  private final float[][] rows = new float[ROWS][2];
  private final double[] targets = new double[ROWS];

  /** Uniform noise whose width is one where the first feature is below ½, and three above. */
  PinballTest() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < ROWS; i++) {
      rows[i][0] = (float) random.nextDouble();
      rows[i][1] = (float) random.nextDouble();
      targets[i] = random.nextDouble() * (rows[i][0] < 0.5 ? 1 : 3);
    }
  }

  private static BoostingSettings settings(double quantile) {
    return new BoostingSettings(60, 10, 0.1, 0.5, 0.4, 100, 0, 4, new Loss.Pinball(quantile));
  }

  private BoostedTrees train(double quantile, long seed) {
    BoostingLearner learner = new BoostingLearner(rows);
    return BoostedTrees.mean(
        List.of(
            learner.fit(targets, settings(quantile), seed),
            learner.fit(targets, settings(quantile), seed + 100)));
  }

  @Test
  void learnsAQuantileThatDependsOnAFeature() {
    // the 90 % quantile of a uniform width w is 0.9 w
    BoostedTrees trees = train(0.9, 1);
    assertThat(trees.predict(new float[] {0.2f, 0.5f})).isBetween(0.85, 0.95);
    assertThat(trees.predict(new float[] {0.8f, 0.5f})).isBetween(2.55, 2.85);
    assertThat(trees.size()).isEqualTo(120);
  }

  @Test
  void coversAsOftenAsItShould() {
    BoostedTrees trees = train(0.9, 1);
    long covered = 0;
    for (int i = 0; i < ROWS; i++) {
      covered += targets[i] <= trees.predict(rows[i]) ? 1 : 0;
    }
    assertThat((double) covered / ROWS).isBetween(0.89, 0.91);
  }

  @Test
  void givesTheSameTreesForTheSameSeed() {
    assertThat(train(0.5, 7)).isEqualTo(train(0.5, 7)).isNotEqualTo(train(0.5, 8));
  }

  /** Of 1 to 10 the smallest value with 70 % of the weight at or below it: 7, then 4. */
  @Test
  void startsFromTheWeightedQuantile() {
    double[] values = {10, 3, 7, 1, 9, 2, 8, 5, 6, 4};
    double[] alike = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    double[] heavyFour = {1, 1, 1, 1, 1, 1, 1, 1, 1, 20};
    Loss loss = new Loss.Pinball(0.7);
    assertThat(loss.start(values, alike)).isEqualTo(7);
    assertThat(loss.start(values, heavyFour)).isEqualTo(4);
    assertThat(values[0]).as("the targets are left as they were").isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1, -0.1, Double.NaN})
  void refusesWhatIsNoQuantile(double quantile) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Loss.Pinball(quantile));
  }
}
