package dev.cotenant.predictor.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.learning.trees.Tree;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.function.ToDoubleFunction;
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
  void copiedTreesAnswerAsSmileDoesOnEveryTrainingRow(Target target) {
    TrainingTable table = table(target, 600);
    SmileForest smile = SmileForest.grow(table, new ForestSettings(20, 0.5, 2), 9);
    ToDoubleFunction<float[]> copied = ForestLearner.grow(table, new ForestSettings(20, 0.5, 2), 9);
    for (int row = 0; row < table.size(); row++) {
      assertThat(copied.applyAsDouble(table.vector(row)))
          .isCloseTo(smile.predict(table.vector(row)), Offset.offset(1e-6));
    }
  }

  /** Without its own setting Smile would stop at about a hundred leaves. */
  @ParameterizedTest
  @EnumSource
  void growsTreesDownToTheLeafSize(Target target) {
    TrainingTable table = table(target, 1200);
    for (Tree tree : SmileForest.grow(table, new ForestSettings(4, 1, 2), 9).trees()) {
      assertThat(leaves(tree)).isGreaterThan(250);
    }
  }

  private static int leaves(Tree tree) {
    return switch (tree) {
      case Tree.Leaf _ -> 1;
      case Tree.Split split -> leaves(split.low()) + leaves(split.high());
    };
  }
}
