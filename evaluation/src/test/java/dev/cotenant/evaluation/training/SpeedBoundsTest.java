package dev.cotenant.evaluation.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.colocation.TrainingPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SpeedBoundsTest {
  private static final SpeedBounds.Estimator NINE_TENTHS =
      new SpeedBounds.Estimator() {
        @Override
        public double speed(TrainingPair pair) {
          return 0.9;
        }

        @Override
        public double deviation(TrainingPair pair) {
          return 0.1;
        }
      };

  private static TrainingPair pair(String own, String other, double speed) {
    return new TrainingPair(
        "test",
        "gpu",
        new TrainingPair.Job(own, "b" + speed, null),
        new TrainingPair.Job(other, "b", null),
        speed);
  }

  @Test
  void takesTheQuantileOfWhatWasLeftOut() {
    // Speeds from 0.9 down to 0.7 in even steps: nine of ten stay above 0.72, 1.8 deviations below.
    List<TrainingPair> rows = new ArrayList<>();
    for (int i = 0; i <= 200; i++) {
      rows.add(pair("m" + i % 4, "m" + (i + 1) % 4, 0.9 - 0.001 * i));
    }
    SpeedBounds bounds = SpeedBounds.of(rows, _ -> NINE_TENTHS);
    assertThat(bounds.least(pair("m0", "m1", 1), 0.9, 0.1)).isCloseTo(0.72, within(0.005));
    assertThat(bounds.least(pair("new", "m1", 1), 0.9, 0.1)).isCloseTo(0.72, within(0.01));
  }

  @Test
  void tellsNewModelsFromKnownOnes() {
    // Of models that it has seen it knows the speed; of a model left out it is off by up to 0.3.
    Random random = new Random(3);
    List<TrainingPair> rows = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      int own = random.nextInt(6);
      rows.add(pair("m" + own, "m" + random.nextInt(6), 0.9 - 0.06 * own));
    }
    SpeedBounds bounds = SpeedBounds.of(rows, SpeedBoundsTest::meanOfOwnModel);
    assertThat(bounds.least(pair("m0", "m1", 1), 0.9, 0.1)).isGreaterThan(0.89);
    assertThat(bounds.least(pair("new", "m1", 1), 0.9, 0.1)).isLessThan(0.8);
    assertThat(bounds.least(pair("m0", "new", 1), 0.9, 0.1)).isGreaterThan(0.89);
  }

  private static SpeedBounds.Estimator meanOfOwnModel(List<TrainingPair> rows) {
    return new SpeedBounds.Estimator() {
      @Override
      public double speed(TrainingPair pair) {
        return rows.stream()
            .filter(row -> row.own().model().equals(pair.own().model()))
            .mapToDouble(TrainingPair::normalisedSpeed)
            .average()
            .orElse(0.9);
      }

      @Override
      public double deviation(TrainingPair pair) {
        return 0.1;
      }
    };
  }

  @Test
  void fallsBackOnTheNormalDistributionWhereRowsAreFew() {
    SpeedBounds bounds = SpeedBounds.of(List.of(pair("a", "b", 0.5)), _ -> NINE_TENTHS);
    assertThat(bounds.least(pair("a", "b", 1), 0.9, 0.1)).isCloseTo(0.9 - 0.12816, within(1e-5));
  }
}
