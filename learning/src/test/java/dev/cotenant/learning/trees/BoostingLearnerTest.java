package dev.cotenant.learning.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoostingLearnerTest {
  /** One tree of one split that takes all of its answer and has no prior. */
  private static final BoostingSettings STUMP = new BoostingSettings(1, 1, 1, 1, 1, 1, 0);

  private static final BoostingSettings USUAL = new BoostingSettings(60, 4, 0.1, 0.7, 0.6, 3, 1);

  @Test
  void findsTheOneSplitThatAHandFinds() {
    // Targets 0 1 9 10 at 1 2 3 4, all of 20 in one part: 20²/4 = 100. Cut after 1: 0²/1 + 20²/3 =
    // 133.3; after 2: 1²/2 + 19²/2 = 181; after 3: 10²/3 + 10²/1 = 133.3. So the cut lies between 2
    // and 3, at 2.5, and the leaves answer 1/2 and 19/2.
    BoostedTrees trees = fit(column(1, 2, 3, 4), new double[] {0, 1, 9, 10}, STUMP, 1);

    assertThat(stump(trees).threshold()).isEqualTo(2.5f);
    assertThat(stump(trees).low()).isEqualTo(new Tree.Leaf(0.5f));
    assertThat(stump(trees).high()).isEqualTo(new Tree.Leaf(9.5f));
    assertThat(trees.predict(new float[] {2.5f})).isEqualTo(0.5);
    assertThat(trees.predict(new float[] {2.6f})).isEqualTo(9.5);
  }

  @Test
  void takesAShareOfAnAnswerThatThePriorPullsToZero() {
    // Leaves sum 1 and 19 over two rows each, λ = 2: 1/4 and 19/4; half of it: 0.125 and 2.375.
    BoostingSettings half = new BoostingSettings(1, 1, 0.5, 1, 1, 1, 2);
    BoostedTrees trees = fit(column(1, 2, 3, 4), new double[] {0, 1, 9, 10}, half, 1);

    assertThat(stump(trees).low()).isEqualTo(new Tree.Leaf(0.125f));
    assertThat(stump(trees).high()).isEqualTo(new Tree.Leaf(2.375f));
  }

  @Test
  void splitsNoLeafBelowItsLeastWeight() {
    // The best cut parts one row from three; with two rows a leaf only the middle is allowed.
    BoostingSettings two = new BoostingSettings(1, 1, 1, 1, 1, 2, 0);
    BoostedTrees trees = fit(column(1, 2, 3, 4), new double[] {0, 0, 0, 12}, two, 1);

    assertThat(stump(trees).threshold()).isEqualTo(2.5f);
    assertThat(stump(trees).low()).isEqualTo(new Tree.Leaf(0f));
    assertThat(stump(trees).high()).isEqualTo(new Tree.Leaf(6f));
  }

  @Test
  void doesNotSplitWhatNeedsNoSplit() {
    BoostedTrees trees = fit(column(1, 2, 3), new double[] {5, 5, 5}, STUMP, 1);

    assertThat(trees.trees()).containsExactly(new Tree.Leaf(5));
    assertThat(trees.predict(new float[] {Float.MAX_VALUE})).isEqualTo(5);
  }

  @Test
  void recoversAStepFunctionExactly() {
    float[][] rows = new float[200][];
    double[] targets = new double[200];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = new float[] {i, (i * 37) % 200};
      targets[i] = (i < 50 ? 1 : i < 120 ? 4 : -2) + (rows[i][1] < 100 ? 0 : 8);
    }
    // Two cuts of one feature and one of the other: three levels.
    BoostingSettings deep = new BoostingSettings(20, 3, 1, 1, 1, 1, 0);
    BoostedTrees trees = fit(rows, targets, deep, 1);

    for (int i = 0; i < rows.length; i++) {
      assertThat(trees.predict(rows[i])).isCloseTo(targets[i], within(1e-5));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void splitsAsAnExhaustiveSearchDoes(long seed) {
    Problem problem = Problem.random(40 + 10 * (int) seed, 4, seed);
    for (int depth = 1; depth <= 4; depth++) {
      BoostingSettings exact = new BoostingSettings(1, depth, 1, 1, 1, 3, 0.5);
      BoostedTrees trees = fit(problem.rows, problem.targets, exact, seed);
      double[] expected = new ExhaustiveTree(problem, exact).answers();
      for (int row = 0; row < expected.length; row++) {
        assertThat(trees.predict(problem.rows[row])).isCloseTo(expected[row], within(1e-6));
      }
    }
  }

  @Test
  void sameSeedGivesTheSameTreesAndAnotherSeedOthers() {
    Problem problem = Problem.random(300, 8, 5);
    BoostedTrees first = fit(problem.rows, problem.targets, USUAL, 11);

    assertThat(fit(problem.rows, problem.targets, USUAL, 11)).isEqualTo(first);
    assertThat(fit(problem.rows, problem.targets, USUAL, 12)).isNotEqualTo(first);
  }

  @Test
  void leavesItsArgumentsAsTheyWere() {
    Problem problem = Problem.random(100, 3, 5);
    float[][] rows = Arrays.stream(problem.rows).map(float[]::clone).toArray(float[][]::new);
    double[] targets = problem.targets.clone();
    fit(problem.rows, problem.targets, USUAL, 1);

    assertThat(problem.rows).isDeepEqualTo(rows);
    assertThat(problem.targets).isEqualTo(targets);
  }

  @Test
  void aWeightIsAsGoodAsThatManyCopies() {
    Problem problem = Problem.random(80, 3, 9);
    double[] weights = new double[80];
    Problem copies = Problem.empty();
    for (int row = 0; row < weights.length; row++) {
      weights[row] = 1 + row % 3;
      for (int copy = 0; copy < weights[row]; copy++) {
        copies = copies.with(problem.rows[row], problem.targets[row]);
      }
    }
    BoostingSettings whole = new BoostingSettings(30, 3, 0.2, 1, 1, 4, 1);
    BoostedTrees weighted = fit(problem.rows, problem.targets, weights, whole, 1);
    BoostedTrees copied = fit(copies.rows, copies.targets, whole, 1);

    for (float[] row : problem.rows) {
      assertThat(weighted.predict(row)).isCloseTo(copied.predict(row), within(1e-4));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void isNeverWorseThanAConstantOnTheNoiseThatItLearns(long seed) {
    Problem noise = Problem.noise(200, 6, seed);
    Problem other = Problem.noise(2000, 6, seed + 100);
    BoostingSettings careful = new BoostingSettings(50, 3, 0.05, 1, 0.5, 20, 20);
    BoostedTrees trees = fit(noise.rows, noise.targets, careful, seed);

    assertThat(noise.squaredError(trees)).isLessThanOrEqualTo(noise.squaredErrorOfZero());
    // What is learned of noise is wrong elsewhere, but bounded by the prior and the leaves' weight.
    assertThat(other.squaredError(trees)).isLessThan(1.1 * other.squaredErrorOfZero());
  }

  @ParameterizedTest
  @CsvSource({"1e-30", "1", "1e30"})
  void answersFiniteNumbersWhateverTheScale(float scale) {
    Random random = new Random(3);
    float[][] rows = new float[500][3];
    double[] targets = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i][0] = scale * (float) random.nextGaussian();
      rows[i][1] = random.nextBoolean() ? -0f : 0f;
      rows[i][2] = random.nextInt(3) == 0 ? Float.MAX_VALUE : -Float.MAX_VALUE;
      targets[i] = scale * random.nextGaussian();
    }
    BoostedTrees trees = fit(rows, targets, USUAL, 1);

    for (float[] row : rows) {
      assertThat(trees.predict(row)).isFinite();
    }
  }

  @Test
  void refusesWhatCannotBeLearnedFrom() {
    float[][] rows = column(1, 2);
    double[] targets = {1, 2};
    refuses(new float[0][], new double[0], new double[0]);
    refuses(new float[2][0], targets, new double[] {1, 1});
    refuses(new float[1][Short.MAX_VALUE + 1], new double[] {1}, new double[] {1});
    refuses(rows, new double[] {1}, new double[] {1, 1});
    refuses(rows, targets, new double[] {1});
    refuses(column(1, Float.NaN), targets, new double[] {1, 1});
    refuses(column(1, Float.POSITIVE_INFINITY), targets, new double[] {1, 1});
    refuses(new float[][] {{1}, {1, 2}}, targets, new double[] {1, 1});
    refuses(rows, new double[] {1, Double.NaN}, new double[] {1, 1});
    for (double weight : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      refuses(rows, targets, new double[] {1, weight});
    }
    refuses(rows, new double[] {-1e300, 1e300}, new double[] {1, 1});
  }

  private static void refuses(float[][] rows, double[] targets, double[] weights) {
    assertThatIllegalArgumentException().isThrownBy(() -> fit(rows, targets, weights, STUMP, 1));
  }

  /** The best cut comes first; with three leaves the second cut is the one that gains more. */
  @Test
  void splitsTheLeafThatGainsMostWhereLeavesAreFew() {
    // 0 0 | 10 10 | 10 16: the first cut gains most; then 10 10 10 16 gains 27, 0 0 nothing.
    BoostingSettings three = new BoostingSettings(1, 5, 1, 1, 1, 1, 0, 3, Loss.SQUARED);
    BoostedTrees trees =
        fit(column(1, 2, 3, 4, 5, 6), new double[] {0, 0, 10, 10, 10, 16}, three, 1);

    Tree.Split high = (Tree.Split) stump(trees).high();
    assertThat(stump(trees).threshold()).isEqualTo(2.5f);
    assertThat(stump(trees).low()).isEqualTo(new Tree.Leaf(0));
    assertThat(high).isEqualTo(new Tree.Split(0, 5.5f, new Tree.Leaf(10), new Tree.Leaf(16)));
  }

  @Test
  void learnsFromOneRow() {
    BoostedTrees trees =
        fit(column(3), new double[] {7}, new BoostingSettings(1, 4, 0.1, 0.7, 0.6, 3, 1), 1);

    // Weight 1 is below the least weight of a leaf, so nothing is split: 0.1 · 7 / (1 + λ).
    assertThat(trees.predict(new float[] {0})).isCloseTo(0.35, within(1e-6));
  }

  private static BoostedTrees fit(
      float[][] rows, double[] targets, BoostingSettings settings, long seed) {
    return new BoostingLearner(rows).fit(targets, settings, seed);
  }

  private static BoostedTrees fit(
      float[][] rows, double[] targets, double[] weights, BoostingSettings settings, long seed) {
    return new BoostingLearner(rows, weights).fit(targets, settings, seed);
  }

  private static Tree.Split stump(BoostedTrees trees) {
    return (Tree.Split) trees.trees().getFirst();
  }

  private static float[][] column(float... values) {
    float[][] rows = new float[values.length][];
    for (int i = 0; i < values.length; i++) {
      rows[i] = new float[] {values[i]};
    }
    return rows;
  }
}
