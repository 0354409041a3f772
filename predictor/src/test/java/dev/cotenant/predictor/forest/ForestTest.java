package dev.cotenant.predictor.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ForestTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-12);

  /** Tree 1: batch ≤ 3 ? (layers ≤ 1 ? 10 : 20) : 40; tree 2: always 2. */
  private static Forest twoTrees() {
    ForestBuilder builder = new ForestBuilder();
    builder.split(6, 3);
    builder.split(0, 1);
    builder.leaf(10);
    builder.leaf(20);
    builder.leaf(40);
    builder.leaf(2);
    return builder.build(2);
  }

  private static float[] vector(float layers, float batch) {
    float[] vector = new float[Feature.count()];
    vector[0] = layers;
    vector[6] = batch;
    return vector;
  }

  @Test
  void averagesItsTrees() {
    Forest forest = twoTrees();
    // (10 + 2) / 2, (20 + 2) / 2, (40 + 2) / 2
    assertThat(forest.predict(vector(1, 3))).isEqualTo(6);
    assertThat(forest.predict(vector(2, 3))).isEqualTo(11);
    assertThat(forest.predict(vector(0, 4))).isEqualTo(21);
  }

  @Test
  void spreadIsTheStandardDeviationOfItsTrees() {
    // leaves 10 and 2: mean 6, deviations 4 and 4
    assertThat(twoTrees().estimate(vector(1, 3)).spread()).isCloseTo(4, EXACT);
  }

  @Test
  void sendsTheThresholdItselfLeftAndTheNextFloatRight() {
    Forest forest = twoTrees();
    assertThat(forest.predict(vector(0, 3))).isEqualTo(6);
    assertThat(forest.predict(vector(0, Math.nextUp(3f)))).isEqualTo(21);
  }

  @Test
  void refusesNodesThatAreNotThatManyTrees() {
    byte[] leaf = {-1};
    float[] one = {1};
    assertMalformed(0, leaf, one);
    assertMalformed(2, leaf, one);
    assertMalformed(1, new byte[] {-1, -1}, new float[] {1, 1});
    assertMalformed(1, new byte[] {0, -1}, new float[] {1, 1});
    assertMalformed(1, new byte[] {}, new float[] {});
    assertMalformed(1, leaf, new float[] {1, 2});
  }

  @Test
  void refusesFeaturesBeyondTheListAndValuesThatAreNotFinite() {
    assertMalformed(1, new byte[] {12, -1, -1}, new float[] {1, 1, 1});
    assertMalformed(1, new byte[] {-2, -1, -1}, new float[] {1, 1, 1});
    assertMalformed(1, new byte[] {-1}, new float[] {Float.NaN});
    assertMalformed(1, new byte[] {-1}, new float[] {Float.POSITIVE_INFINITY});
  }

  private static void assertMalformed(int trees, byte[] features, float[] values) {
    assertThatThrownBy(() -> Forest.ofPreorder(trees, features, values))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("malformed");
  }
}
