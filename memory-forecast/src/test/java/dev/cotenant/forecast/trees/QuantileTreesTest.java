package dev.cotenant.forecast.trees;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantileTreesTest {
  private static final int FEATURES = 5;

  /** Trees are walked four at a time; the last few one by one. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 7, 8, 9, 30})
  void sumsTheLeafOfEachTreeInItsOrder(int count) {
    SplittableRandom random = new SplittableRandom(count);
    TreesBuilder builder = new TreesBuilder(0.5);
    for (int i = 0; i < count; i++) {
      builder.beginTree();
      grow(builder, random, i % 4 == 0 ? 0 : 6); // single leaves and deep trees side by side
    }
    QuantileTrees trees = builder.build();
    for (int i = 0; i < 200; i++) {
      float[] features = new float[FEATURES];
      for (int j = 0; j < FEATURES; j++) {
        features[j] = i == 0 ? Float.NaN : (float) random.nextInt(8);
      }
      assertThat(trees.predict(features)).isEqualTo(oneByOne(trees, features));
    }
  }

  private static void grow(TreesBuilder builder, SplittableRandom random, int depth) {
    if (depth == 0 || random.nextInt(5) == 0) {
      builder.leaf(random.nextDouble());
      return;
    }
    // thresholds are whole numbers as features are: a value of at most the threshold goes left
    int split = builder.split(random.nextInt(FEATURES), random.nextInt(8));
    grow(builder, random, depth - 1);
    builder.rightStartsHere(split);
    grow(builder, random, depth - 1);
  }

  private static double oneByOne(QuantileTrees trees, float[] features) {
    QuantileTrees.Nodes nodes = trees.nodes();
    double sum = trees.base();
    for (int root : trees.roots()) {
      int node = root;
      while (nodes.right()[node] != 0) {
        boolean left = features[nodes.feature()[node]] <= nodes.number()[node];
        node = left ? node + 1 : nodes.right()[node];
      }
      sum += nodes.number()[node];
    }
    return sum;
  }
}
