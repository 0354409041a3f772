package dev.cotenant.predictor.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SmileForestTest {
  private static TrainingTable table(Target target, int rows) {
    return TrainingTable.of(
        target, SyntheticRuns.result(rows, "a100-40gb", 3).rows(), DeviceCatalogue.builtIn());
  }

  @ParameterizedTest
  @EnumSource
  void compactFormAnswersAsSmileDoesOnEveryTrainingRow(Target target) {
    TrainingTable table = table(target, 600);
    SmileForest smile = SmileForest.grow(table, new ForestSettings(20, 0.5, 2), 9);
    Forest compact = smile.compact();
    for (int row = 0; row < table.size(); row++) {
      assertThat(compact.predict(table.vector(row)))
          .isCloseTo(smile.predict(table.vector(row)), Offset.offset(1e-6));
    }
  }

  /** Without its own setting Smile would stop at about a hundred leaves. */
  @ParameterizedTest
  @EnumSource
  void growsTreesDownToTheLeafSize(Target target) {
    TrainingTable table = table(target, 1200);
    Forest forest = ForestLearner.grow(table, new ForestSettings(4, 1, 2), 9);
    assertThat(forest.nodes() / forest.trees()).isGreaterThan(500);
  }
}
