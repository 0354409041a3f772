package dev.cotenant.learning.trees;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BinsTest {
  @Test
  void fewValuesHaveABinEachAndCutsMidway() {
    Bins bins = Bins.of(new float[][] {{5}, {1}, {3}, {3}});

    assertThat(bins.count(0)).isEqualTo(3);
    assertThat(bins.threshold(0, 0)).isEqualTo(2);
    assertThat(bins.threshold(0, 1)).isEqualTo(4);
    assertThat(bins.bin(0, 0)).isEqualTo(2);
    assertThat(bins.bin(0, 1)).isZero();
  }

  /** Values share bins that are about as full; a row's bin says on which side of a cut it is. */
  @ParameterizedTest
  @ValueSource(ints = {2, 254, 255, 256, 300, 10_000})
  void aRowIsAboveAThresholdWhereItsBinIs(int rows) {
    Random random = new Random(rows);
    float[][] values = new float[rows][1];
    for (float[] value : values) {
      value[0] = random.nextInt(4) == 0 ? 0 : (float) Math.exp(3 * random.nextGaussian());
    }
    Bins bins = Bins.of(values);

    assertThat(bins.count(0)).isBetween(2, Bins.MAX_BINS);
    for (int row = 0; row < rows; row++) {
      for (int bin = 0; bin < bins.count(0) - 1; bin++) {
        assertThat(values[row][0] > bins.threshold(0, bin)).isEqualTo(bins.bin(0, row) > bin);
      }
    }
  }

  @Test
  void noBinOfManyDistinctValuesHoldsMuchMoreThanItsShare() {
    float[][] values = new float[5100][1];
    for (int row = 0; row < values.length; row++) {
      values[row][0] = row;
    }
    Bins bins = Bins.of(values);
    int[] held = new int[Bins.MAX_BINS];
    for (int row = 0; row < values.length; row++) {
      held[bins.bin(0, row)]++;
    }

    // 5100 / 255 = 20 rows a bin.
    assertThat(Arrays.stream(held)).allMatch(count -> count >= 10 && count <= 40);
  }

  @Test
  void neighbouringFloatsAndBothZerosAreTold() {
    float next = Math.nextUp(1f);
    Bins bins = Bins.of(new float[][] {{1, -0f}, {next, 0f}});

    assertThat(bins.count(0)).isEqualTo(2);
    assertThat(bins.threshold(0, 0)).isEqualTo(1);
    assertThat(bins.count(1)).isEqualTo(1);
  }
}
