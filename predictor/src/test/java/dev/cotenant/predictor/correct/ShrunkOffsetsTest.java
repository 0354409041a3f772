package dev.cotenant.predictor.correct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShrunkOffsetsTest {
  private static List<Residual> residuals(double... errors) {
    List<Residual> residuals = new ArrayList<>();
    for (int family = 0; family < errors.length; family++) {
      var row = Clusters.row(family, 8, Clusters.A100, errors[family]);
      residuals.add(new Residual(row, new CorrectedTarget.LogBounds(3, 2.8, 3.2), errors[family]));
    }
    return residuals;
  }

  private static Map<String, Double> fit(List<Residual> residuals) {
    return ShrunkOffsets.fit(residuals, Residual::platform, Residual::family);
  }

  @Test
  void shrinksTheMeanOfUnitsThatAgreeAsLittleAsItMay() {
    // Three families, each 0.3 too low. Left out, one is met by 0.6 / (2 + 0.25) = 0.267 of the
    // others, the
    // more the weaker the prior: strength 0.25. All three then give 0.9 / 3.25 = 0.2769.
    assertThat(fit(residuals(0.3, 0.3, 0.3)))
        .containsOnlyKeys("a100-40gb/training/fp32")
        .extractingByKey("a100-40gb/training/fp32")
        .satisfies(offset -> assertThat(offset).isCloseTo(0.9 / 3.25, within(1e-12)));
  }

  @Test
  void countsAUnitOnceHoweverManyBatchesOfItThereAre() {
    List<Residual> rows = new ArrayList<>(residuals(0.3, 0.3, 0.3));
    for (int batch = 16; batch < 100; batch++) {
      rows.add(
          new Residual(Clusters.row(0, batch, Clusters.A100, 0.3), rows.getFirst().base(), 0.3));
    }
    assertThat(fit(rows)).isEqualTo(fit(residuals(0.3, 0.3, 0.3)));
  }

  @Test
  void saysNothingOfFewOrDisagreeingUnits() {
    assertThat(fit(residuals())).isEmpty();
    assertThat(fit(residuals(0.5))).isEmpty();
    assertThat(fit(residuals(0.5, 0.5))).isEmpty();
    assertThat(fit(residuals(0.5, -0.5, 0.4, -0.4))).isEmpty();
  }

  @Test
  void staysBetweenZeroAndTheMeanOnRandomErrors() {
    Random random = new Random(7);
    for (int seed = 0; seed < 200; seed++) {
      double[] errors = random.doubles(3 + random.nextInt(10), -0.5, 1).toArray();
      double mean = java.util.Arrays.stream(errors).average().orElseThrow();
      fit(residuals(errors))
          .values()
          .forEach(offset -> assertThat(offset / mean).isGreaterThan(0).isLessThan(1));
    }
  }
}
