package dev.cotenant.features.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.features.graph.ElementType;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AmountTest {
  /** (3·r, 5), r being the batch over the declared one. */
  private static final Amount MATRIX = Amount.elements(Shape.of(new long[] {3, 5}, 0b01));

  @Test
  void multipliesTheExtentsThatGrowWithTheBatch() {
    assertThat(MATRIX.at(new BatchScale(3, 3))).isEqualTo(15);
    assertThat(MATRIX.at(new BatchScale(3, 12))).isEqualTo(60);
    assertThat(MATRIX.at(new BatchScale(3, 1))).isEqualTo(5);
    // 3·r · 3·r = 9·r²: at a batch of 12, r is 4.
    Amount pairs = Amount.elements(Shape.of(new long[] {3, 3}, 0b11));
    assertThat(pairs.at(new BatchScale(3, 12))).isEqualTo(144);
    assertThat(pairs.at(new BatchScale(3, 1))).isEqualTo(1);
  }

  @Test
  void roundsUpWhatTheDeclaredBatchDoesNotDivide() {
    Amount seven = Amount.elements(Shape.of(new long[] {7}, 0b1));
    assertThat(seven.at(new BatchScale(2, 1))).isEqualTo(4);
  }

  @Test
  void isUnknownWhereAnExtentIs() {
    assertThat(Amount.elements(Shape.of(2, Shape.UNKNOWN)).isKnown()).isFalse();
    assertThat(Amount.elements(null)).isEqualTo(Amount.UNKNOWN);
    assertThat(MATRIX.plus(Amount.UNKNOWN).isKnown()).isFalse();
    assertThat(MATRIX.times(Amount.UNKNOWN).isKnown()).isFalse();
    assertThat(Amount.UNKNOWN.at(new BatchScale(1, 2))).isEqualTo(Shape.UNKNOWN);
    assertThat(Amount.of(-1).isKnown()).isFalse();
  }

  @Test
  void stopsAtTheLargestLong() {
    Amount most = Amount.of(Long.MAX_VALUE);
    assertThat(most.plus(most)).isEqualTo(most);
    assertThat(most.times(MATRIX).at(new BatchScale(3, 6))).isEqualTo(Long.MAX_VALUE);
    Amount tower = MATRIX;
    for (int i = 0; i < 20; i++) {
      tower = tower.times(MATRIX);
    }
    assertThat(tower.at(new BatchScale(1, 1))).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void packsElementsOfFewBits() {
    assertThat(Amount.of(5).inBytes(ElementType.INT4)).isEqualTo(Amount.of(3));
    assertThat(MATRIX.inBytes(ElementType.FLOAT)).isEqualTo(MATRIX.times(4));
  }

  @Test
  void calculatesLikeTheNumbersAtEveryBatch() {
    Random random = new Random(7);
    for (int run = 0; run < 500; run++) {
      Amount left = randomAmount(random);
      Amount right = randomAmount(random);
      BatchScale scale = new BatchScale(1, 1 + random.nextInt(9));
      long a = left.at(scale);
      long b = right.at(scale);
      assertThat(left.plus(right).at(scale)).isEqualTo(a + b);
      assertThat(left.times(right).at(scale)).isEqualTo(a * b);
      assertThat(left.plus(right).minus(right).at(scale)).isEqualTo(a);
      assertThat(left.atLeast(right).at(scale)).isGreaterThanOrEqualTo(Math.max(a, b));
      assertThat(left.atLeast(right).covers(left)).isTrue();
      if (left.covers(right)) {
        assertThat(a).isGreaterThanOrEqualTo(b);
      }
    }
  }

  private static Amount randomAmount(Random random) {
    Amount sum = Amount.of(random.nextInt(50));
    for (int axes = 1; axes < 3; axes++) {
      long[] extents = new long[axes];
      for (int i = 0; i < axes; i++) {
        extents[i] = random.nextInt(5);
      }
      sum = sum.plus(Amount.elements(Shape.of(extents, (1L << axes) - 1)));
    }
    return sum;
  }
}
