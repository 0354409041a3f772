package dev.cotenant.forecast.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.forecast.trees.QuantileTrees;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TreesTrainerTest {
  private static final int ROWS = 20_000;

  private final float[][] rows = new float[ROWS][2];
  private final double[] targets = new double[ROWS];
  private final double[] weights = new double[ROWS];

  /** Uniform noise whose width is one where the first feature is below ½, and three above. */
  TreesTrainerTest() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < ROWS; i++) {
      rows[i][0] = (float) random.nextDouble();
      rows[i][1] = (float) random.nextDouble();
      targets[i] = random.nextDouble() * (rows[i][0] < 0.5 ? 1 : 3);
    }
    Arrays.fill(weights, 1);
  }

  private QuantileTrees train(double quantile, long seed) {
    GrowthSettings settings = new GrowthSettings(quantile, 4, 60, 2, 0.1, 100);
    return new TreesTrainer(rows, 2, weights).train(targets, settings, seed);
  }

  @Test
  void learnsAQuantileThatDependsOnAFeature() {
    // the 90 % quantile of a uniform width w is 0.9 w
    QuantileTrees trees = train(0.9, 1);
    assertThat(trees.predict(new float[] {0.2f, 0.5f})).isBetween(0.85, 0.95);
    assertThat(trees.predict(new float[] {0.8f, 0.5f})).isBetween(2.55, 2.85);
    assertThat(trees.trees()).isEqualTo(120);
  }

  @Test
  void coversAsOftenAsItShould() {
    QuantileTrees trees = train(0.9, 1);
    long covered = 0;
    for (int i = 0; i < ROWS; i++) {
      covered += targets[i] <= trees.predict(rows[i]) ? 1 : 0;
    }
    assertThat((double) covered / ROWS).isBetween(0.89, 0.91);
  }

  @Test
  void givesTheSameTreesForTheSameSeed() {
    float[] asked = {0.4f, 0.9f};
    assertThat(train(0.5, 7).predict(asked)).isEqualTo(train(0.5, 7).predict(asked));
    assertThat(train(0.5, 7).predict(asked)).isNotEqualTo(train(0.5, 8).predict(asked));
  }
}
