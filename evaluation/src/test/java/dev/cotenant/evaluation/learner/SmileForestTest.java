package dev.cotenant.evaluation.learner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.learning.trees.Tree;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SmileForestTest {
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  private record Table(float[][] rows, double[] logs) {
    static Table of(Target target, int rows) {
      List<ProfileRow> runs = SyntheticRuns.result(rows, "a100-40gb", 3).rows();
      return new Table(
          runs.stream()
              .map(row ->
                  target.vector(
                      row.features(), DeviceCatalogue.builtIn().require(row.device().value())))
              .toArray(float[][]::new),
          runs.stream().mapToDouble(target::logOf).toArray());
    }

    SmileForest grow(ForestSettings settings) {
      return SmileForest.grow(rows, logs, settings, 9);
    }
  }

  @ParameterizedTest
  @EnumSource
  void copiedTreesAnswerAsSmileDoesOnEveryTrainingRow(Target target) {
    Table table = Table.of(target, 600);
    ForestSettings settings = new ForestSettings(20, 0.5, 2);
    SmileForest smile = table.grow(settings);
    ToDoubleFunction<float[]> copied = ForestLearner.grow(table.rows(), table.logs(), settings, 9);
    for (float[] row : table.rows()) {
      assertThat(copied.applyAsDouble(row)).isCloseTo(smile.predict(row), Offset.offset(1e-6));
    }
  }

  /** Without its own setting Smile would stop at about a hundred leaves. */
  @ParameterizedTest
  @EnumSource
  void growsTreesDownToTheLeafSize(Target target) {
    for (Tree tree : Table.of(target, 1200).grow(new ForestSettings(4, 1, 2)).trees()) {
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
