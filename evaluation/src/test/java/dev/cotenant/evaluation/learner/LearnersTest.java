package dev.cotenant.evaluation.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.learning.trees.BinnedForest;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.Tree;
import dev.cotenant.learning.trees.TreeLearner;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tribuo.Model;
import org.tribuo.regression.Regressor;

class LearnersTest {
  private static final int ROWS = 300;
  private static final int FEATURES = 6;
  private static final double MAX_TARGET = 0.05;
  private static final ProfileSource.Result RUNS = SyntheticRuns.result(24, "a100-40gb", 5);

  /** Residuals of a prior are of this size: some hundredths, in the logarithm. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  private record Sample(float[][] rows, double[] weights, double[] targets) {
    static Sample of(long seed) {
      Random random = new Random(seed);
      float[][] rows = new float[ROWS][FEATURES];
      double[] targets = new double[ROWS];
      for (int row = 0; row < ROWS; row++) {
        for (int feature = 0; feature < FEATURES; feature++) {
          rows[row][feature] = (float) (random.nextGaussian() * Math.pow(10, feature - 2));
        }
        rows[row][3] = random.nextInt(4);
        rows[row][4] = 7;
        targets[row] = 0.02 * Math.sin(100 * rows[row][0]) + 0.01 * rows[row][3];
      }
      return new Sample(rows, alike(), targets);
    }

    private static double[] alike() {
      double[] weights = new double[ROWS];
      Arrays.fill(weights, 1);
      return weights;
    }

    BoostedTrees fit(TreeLearner learner) {
      return learner.fit(rows, weights, targets, 5);
    }

    double squaredError(BoostedTrees trees) {
      double sum = 0;
      for (int row = 0; row < ROWS; row++) {
        sum += Math.pow(targets[row] - trees.predict(rows[row]), 2);
      }
      return sum;
    }
  }

  static Stream<TreeLearner> learners() {
    return Learners.all().stream();
  }

  @ParameterizedTest
  @EnumSource
  void writtenTreesAnswerAsTribuoDoes(TribuoForest forest) {
    List<float[]> binned = new ArrayList<>();
    List<ToDoubleFunction<float[]>> library = new ArrayList<>();
    BoostedTrees trees =
        Sample.of(3)
            .fit(
                new BinnedForest(
                    "test",
                    (bins, weights, targets, seed) -> {
                      TribuoRows rows = new TribuoRows(FEATURES);
                      Model<Regressor> model =
                          forest.train(rows.dataset(bins, weights, targets), seed);
                      binned.addAll(List.of(bins));
                      library.add(row -> rows.predict(model, TribuoRows.doubles(row)));
                      return TribuoForest.trees(model);
                    }));
    assertSame(trees, binned, library.getFirst());
  }

  @Test
  void writtenTreesAnswerAsSmileDoes() {
    List<float[]> binned = new ArrayList<>();
    List<ToDoubleFunction<float[]>> library = new ArrayList<>();
    BoostedTrees trees =
        Sample.of(3)
            .fit(
                new BinnedForest(
                    "test",
                    (bins, weights, targets, seed) -> {
                      SmileForest forest =
                          SmileForest.grow(bins, targets, new ForestSettings(64, 0.5, 5), seed);
                      binned.addAll(List.of(bins));
                      library.add(forest::predict);
                      return forest.trees();
                    }));
    assertSame(trees, binned, library.getFirst());
  }

  /** A leaf is rounded to a float, by at most 2⁻²⁴ of the largest: 3e-9. */
  private static void assertSame(
      BoostedTrees trees, List<float[]> bins, ToDoubleFunction<float[]> library) {
    float[][] rows = Sample.of(3).rows();
    for (int row = 0; row < ROWS; row++) {
      assertThat(trees.predict(rows[row]))
          .isCloseTo(library.applyAsDouble(bins.get(row)), within(Math.scalb(MAX_TARGET, -24)));
    }
  }

  @ParameterizedTest
  @MethodSource("learners")
  void learnsAndGivesTheSameTreesAgain(TreeLearner learner) {
    Sample sample = Sample.of(4);
    BoostedTrees trees = sample.fit(learner);
    double mean = Arrays.stream(sample.targets()).average().orElseThrow();

    assertThat(sample.fit(learner)).isEqualTo(trees);
    assertThat(sample.squaredError(trees))
        .isLessThan(
            0.5 * sample.squaredError(BoostedTrees.of(mean, FEATURES, List.of(new Tree.Leaf(0)))));
  }

  @ParameterizedTest
  @MethodSource("learners")
  void aHeavyRowPullsTheAnswer(TreeLearner learner) {
    Sample sample = Sample.of(4);
    double[] weights = sample.weights().clone();
    weights[11] = 500;
    double[] targets = sample.targets().clone();
    targets[11] = 1;
    double heavy = learner.fit(sample.rows(), weights, targets, 5).predict(sample.rows()[11]);
    double light =
        learner.fit(sample.rows(), sample.weights(), targets, 5).predict(sample.rows()[11]);

    assertThat(heavy).isGreaterThan(light + 0.05);
  }

  @ParameterizedTest
  @MethodSource("learners")
  void rowsThatDoNotDifferAreAnsweredFromTheirTargets(TreeLearner learner) {
    BoostedTrees trees =
        learner.fit(
            new float[][] {{2, 1}, {2, 1}, {2, 1}},
            new double[] {1, 1, 1},
            new double[] {1, 2, 6},
            1);
    assertThat(trees.predict(new float[] {9, 9})).isBetween(1.0, 6.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"smile-forest", "tribuo-cart"})
  void writesAFileThatThePredictorReadsAndTheSameFileAgain(String learner) {
    byte[] file = trained(learner);
    Predictor predictor = Predictor.ofBytes(file, "trained");

    assertThat(trained(learner)).isEqualTo(file);
    assertThat(predictor.provenance().settings()).contains("learner: " + learner);
    ProfileRow row = RUNS.rows().getFirst();
    assertThat(
            predictor
                .predict(
                    row.features(),
                    row.settings(),
                    DeviceCatalogue.builtIn().require(row.device().value()))
                .utilization()
                .mean()
                .percent())
        .isCloseTo(Math.expm1(Target.UTILIZATION.logOf(row)), within(15.0));
  }

  private static byte[] trained(String learner) {
    return new HybridTrainer(DeviceCatalogue.builtIn(), Learners.settings(learner, 1))
        .train(List.of(RUNS), TrainingProgress.SILENT)
        .toBytes();
  }

  @Test
  void refusesAnUnknownLearnerWithTheNames() {
    assertThat(Learners.require("tribuo-cart").name()).isEqualTo("tribuo-cart");
    assertThatThrownBy(() -> Learners.require("catboost"))
        .isInstanceOfSatisfying(
            InputException.class,
            e -> {
              assertThat(e.code()).isEqualTo("unknown-learner");
              assertThat(e)
                  .hasMessageContaining("hybrid, smile-forest, tribuo-cart, tribuo-random-forest.");
            });
  }
}
