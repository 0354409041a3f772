package dev.cotenant.predictor.boost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.predictor.boost.BoostedTrees.Ranks;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoostedTreesTest {
  private static final float[] THRESHOLDS = {0.5f, 1, 2};
  private static final short[] SPLITS = {0, 1, 1};
  private static final float[] LEAVES = {1, 2, 3, 4};

  private static final BoostedTrees ONE = new BoostedTrees(2, 2, SPLITS, THRESHOLDS, LEAVES);

  @Test
  void descendsByEveryThreshold() {
    // x0 ≤ 0.5: then x1 ≤ 1 gives 1, else 2; x0 > 0.5: then x1 ≤ 2 gives 3, else 4.
    assertThat(ONE.predict(new float[] {0.5f, 1})).isEqualTo(1);
    assertThat(ONE.predict(new float[] {0, 1.5f})).isEqualTo(2);
    assertThat(ONE.predict(new float[] {0.6f, 2})).isEqualTo(3);
    assertThat(ONE.predict(new float[] {9, 9})).isEqualTo(4);
  }

  @Test
  void isTheSumOfItsTrees() {
    BoostedTrees two =
        new BoostedTrees(1, 2, new short[] {0, 1}, new float[] {0, 0}, new float[] {1, 2, 10, 20});

    assertThat(two.size()).isEqualTo(2);
    assertThat(two.predict(new float[] {-1, -1})).isEqualTo(11);
    assertThat(two.predict(new float[] {1, -1})).isEqualTo(12);
    assertThat(two.predict(new float[] {-1, 1})).isEqualTo(21);
  }

  @Test
  void isMadeAgainFromItsArrays() {
    Problem problem = Problem.random(200, 5, 1);
    BoostingSettings settings = new BoostingSettings(20, 5, 0.1, 0.8, 0.8, 2, 1);
    BoostedTrees trees = BoostingLearner.fit(problem.rows, problem.targets, settings, 1);
    BoostedTrees again =
        new BoostedTrees(
            trees.depth(),
            trees.features(),
            trees.splitFeatures(),
            trees.thresholds(),
            trees.leaves());

    assertThat(again).isEqualTo(trees).hasSameHashCodeAs(trees);
    for (float[] row : problem.rows) {
      assertThat(again.predict(row)).isEqualTo(trees.predict(row));
    }
  }

  @Test
  void isMadeAgainFromItsRanks() {
    Problem problem = Problem.random(200, 5, 1);
    BoostingSettings settings = new BoostingSettings(20, 5, 0.1, 0.8, 0.8, 2, 1);
    BoostedTrees trees = BoostingLearner.fit(problem.rows, problem.targets, settings, 1);
    BoostedTrees again = BoostedTrees.ofRanks(trees.depth(), trees.ranks());

    assertThat(again).isEqualTo(trees).hasSameHashCodeAs(trees);
    assertThat(again.thresholds()).isEqualTo(trees.thresholds());
    assertThat(again.splitFeatures()).isEqualTo(trees.splitFeatures());
    for (float[] row : problem.rows) {
      assertThat(again.predict(row)).isEqualTo(trees.predict(row));
    }
  }

  @Test
  void ranksAreNodesOfAllTreesLevelByLevel() {
    // two features: a node's feature is its first bit, the place of its threshold the other 15;
    // feature 0 has the threshold 0.5, feature 1 those of its two nodes, 1 and 2
    BoostedTrees.Ranks ranks = ONE.ranks();
    assertThat(ranks.thresholds()).isDeepEqualTo(new float[][] {{0.5f}, {1, 2}});
    assertThat(ranks.nodes()).containsExactly((char) 0, (char) 0x8000, (char) 0x8001);
    assertThat(ranks.leaves()).containsExactly(LEAVES);
  }

  @Test
  void refusesRanksThatAreNoTrees() {
    float[][] thresholds = {{0.5f}, {1, 2}};
    char[] nodes = {0, 0x8000, 0x8001};
    assertThat(BoostedTrees.ofRanks(2, new Ranks(thresholds, nodes, LEAVES))).isEqualTo(ONE);
    refuses(() -> BoostedTrees.ofRanks(1, new Ranks(thresholds, nodes, LEAVES)));
    refuses(() -> BoostedTrees.ofRanks(11, new Ranks(thresholds, nodes, LEAVES)));
    refuses(() ->
        BoostedTrees.ofRanks(2, new Ranks(thresholds, new char[] {0, 0x8000, 0x8002}, LEAVES)));
    refuses(() -> BoostedTrees.ofRanks(2, new Ranks(thresholds, new char[] {0, 0x8000}, LEAVES)));
    refuses(() -> BoostedTrees.ofRanks(2, new Ranks(new float[][] {{0}, {2, 1}}, nodes, LEAVES)));
    refuses(() -> BoostedTrees.ofRanks(2, new Ranks(new float[][] {{0}, {1, 1}}, nodes, LEAVES)));
    refuses(() ->
        BoostedTrees.ofRanks(2, new Ranks(new float[][] {{0}, {1, Float.NaN}}, nodes, LEAVES)));
    refuses(() ->
        BoostedTrees.ofRanks(2, new Ranks(thresholds, nodes, new float[] {1, 2, 3, Float.NaN})));
    refuses(() ->
        BoostedTrees.ofRanks(
            2, new Ranks(thresholds, nodes, new float[] {1, 2, 3, Float.NEGATIVE_INFINITY})));
  }

  /** Blocks of 128 trees are descended together. */
  @ParameterizedTest
  @ValueSource(ints = {1, 9, 127, 128, 129, 300})
  void answersAsItsThresholdsSay(int count) {
    Problem problem = Problem.random(300, 4, count);
    BoostingSettings settings = new BoostingSettings(count, 4, 0.3, 0.8, 1, 2, 1);
    BoostedTrees trees = BoostingLearner.fit(problem.rows, problem.targets, settings, 1);
    float[] thresholds = trees.thresholds();
    short[] features = trees.splitFeatures();
    for (int i = 0; i < 300; i++) {
      float[] row = problem.rows[i].clone();
      // a value on a threshold goes to the first child
      int feature = features[i % thresholds.length];
      row[feature] =
          Float.isFinite(thresholds[i % thresholds.length])
              ? thresholds[i % thresholds.length]
              : row[feature];
      assertThat(trees.predict(row)).isCloseTo(descend(trees, row), Offset.offset(1e-12));
    }
  }

  private static double descend(BoostedTrees trees, float[] row) {
    int inner = (1 << trees.depth()) - 1;
    short[] features = trees.splitFeatures();
    float[] thresholds = trees.thresholds();
    float[] leaves = trees.leaves();
    double sum = 0;
    for (int tree = 0; tree < trees.size(); tree++) {
      int node = 0;
      while (node < inner) {
        int at = tree * inner + node;
        boolean isFirst = row[features[at]] <= thresholds[at];
        node = 2 * node + (isFirst ? 1 : 2);
      }
      sum += leaves[tree * (inner + 1) + node - inner];
    }
    return sum;
  }

  @Test
  void handsOutCopiesOnly() {
    ONE.leaves()[0] = 99;
    ONE.thresholds()[0] = 99;
    ONE.splitFeatures()[0] = 1;

    assertThat(ONE).isEqualTo(new BoostedTrees(2, 2, SPLITS, THRESHOLDS, LEAVES));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 3, 11, 31, 32, 33, 34, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void refusesADepthThatItsArraysDoNotHave(int depth) {
    refuses(() -> new BoostedTrees(depth, 2, SPLITS, THRESHOLDS, LEAVES));
    if (depth < 1 || depth > 10) {
      refuses(() -> new BoostedTrees(depth, 2, new short[0], new float[0], new float[0]));
      refuses(() -> new BoostedTrees(depth, 2, new short[0], new float[0], new float[] {1}));
    }
  }

  @Test
  void refusesArraysThatAreNoTrees() {
    refuses(() -> new BoostedTrees(2, 2, new short[] {0, 1}, THRESHOLDS, LEAVES));
    refuses(() -> new BoostedTrees(2, 2, SPLITS, new float[] {0, 0}, LEAVES));
    refuses(() -> new BoostedTrees(2, 2, SPLITS, THRESHOLDS, new float[] {1, 2, 3}));
    refuses(() -> new BoostedTrees(2, 1, SPLITS, THRESHOLDS, LEAVES));
    refuses(() -> new BoostedTrees(2, 2, new short[] {0, -1, 1}, THRESHOLDS, LEAVES));
    refuses(() -> new BoostedTrees(2, 2, SPLITS, new float[] {0, Float.NaN, 0}, LEAVES));
    refuses(() -> new BoostedTrees(2, 2, SPLITS, THRESHOLDS, new float[] {1, 2, 3, Float.NaN}));
    refuses(() ->
        new BoostedTrees(2, 2, SPLITS, THRESHOLDS, new float[] {1, 2, 3, Float.POSITIVE_INFINITY}));
  }

  private static void refuses(ThrowingCallable making) {
    assertThatIllegalArgumentException().isThrownBy(making);
  }
}
