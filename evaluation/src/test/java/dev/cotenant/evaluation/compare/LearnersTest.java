package dev.cotenant.evaluation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.microsoft.ml.lightgbm.PredictionType;
import dev.cotenant.evaluation.compare.RegressionLearner.Regression;
import io.github.metarank.lightgbm4j.LGBMBooster;
import io.github.metarank.lightgbm4j.LGBMException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LearnersTest {
  private static final int FEATURES = 12;

  /** Small learners of fixed settings; searching them is {@code CrossValidated}'s test. */
  static Stream<RegressionLearner> learners() {
    BoosterSettings settings = new BoosterSettings(60, 3, 0.1);
    return Stream.of(
        new LinearRegression(1e-3, 0.5), new LightGbm(settings), new XgBoost(settings));
  }

  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  private record Sample(float[][] rows, double[] targets) {
    /** y = 2 a + b / 1000 + noise, column 2 constant, the rest irrelevant. */
    static Sample of(int rows, long seed) {
      Random random = new Random(seed);
      float[][] vectors = new float[rows][FEATURES];
      double[] targets = new double[rows];
      for (int row = 0; row < rows; row++) {
        for (int feature = 0; feature < FEATURES; feature++) {
          vectors[row][feature] = (float) random.nextGaussian();
        }
        vectors[row][1] *= 1000;
        vectors[row][2] = 19.5f;
        targets[row] =
            3 + 2 * vectors[row][0] + vectors[row][1] / 1000 + 0.01 * random.nextGaussian();
      }
      return new Sample(vectors, targets);
    }

    double error(Regression regression) {
      double sum = 0;
      for (int row = 0; row < rows.length; row++) {
        sum += Math.pow(regression.predict(rows[row]) - targets[row], 2);
      }
      return Math.sqrt(sum / rows.length);
    }
  }

  @ParameterizedTest
  @MethodSource("learners")
  void carriesOverToRowsThatItHasNotSeen(RegressionLearner learner) {
    Sample train = Sample.of(300, 1);
    Regression learned = learner.fit(train.rows(), train.targets(), 1);

    // The standard deviation of the targets is √(2² + 1²) = 2.2.
    assertThat(Sample.of(300, 2).error(learned)).isLessThan(0.8);
  }

  @Test
  void linearRegressionFindsTheLine() {
    Sample train = Sample.of(300, 1);
    Regression learned = new LinearRegression(1e-3, 0.5).fit(train.rows(), train.targets(), 1);

    assertThat(Sample.of(300, 2).error(learned)).isLessThan(0.02);
  }

  @ParameterizedTest
  @MethodSource("learners")
  void sameSeedGivesTheSameAnswers(RegressionLearner learner) {
    Sample train = Sample.of(80, 1);
    Regression first = learner.fit(train.rows(), train.targets(), 7);
    Regression second = learner.fit(train.rows(), train.targets(), 7);

    for (float[] row : train.rows()) {
      assertThat(second.predict(row)).isEqualTo(first.predict(row));
    }
  }

  @ParameterizedTest
  @MethodSource("learners")
  void answersTheMeanWhereNothingVaries(RegressionLearner learner) {
    float[][] alike = new float[10][FEATURES];
    double[] targets = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Regression learned = learner.fit(alike, targets, 1);

    assertThat(learned.predict(new float[FEATURES])).isCloseTo(5.5, within(1e-9));
  }

  @ParameterizedTest
  @MethodSource("learners")
  void learnsFromTwoRows(RegressionLearner learner) {
    Sample two = Sample.of(2, 1);
    assertThat(learner.fit(two.rows(), two.targets(), 1).predict(two.rows()[0])).isFinite();
  }

  @ParameterizedTest
  @MethodSource("learners")
  void answersManyThreadsAlike(RegressionLearner learner) {
    Sample train = Sample.of(200, 1);
    Regression learned = learner.fit(train.rows(), train.targets(), 7);
    List<Double> serial = new ArrayList<>();
    for (float[] row : train.rows()) {
      serial.add(learned.predict(row));
    }

    assertThat(Arrays.stream(train.rows()).parallel().map(learned::predict).toList())
        .isEqualTo(serial);
  }

  /** Another process that unpacks there would overwrite what this one runs from. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void lightGbmIsNotLoadedFromAPlaceThatProcessesShare() throws IOException {
    String folder = System.getProperty("java.io.tmpdir");
    Sample train = Sample.of(20, 1);
    new LightGbm(new BoosterSettings(1, 1, 0.1)).fit(train.rows(), train.targets(), 1);

    assertThat(System.getProperty("java.io.tmpdir")).isEqualTo(folder);
    assertThat(Files.readAllLines(Path.of("/proc/self/maps")))
        .filteredOn(line -> line.contains("lib_lightgbm"))
        .isNotEmpty()
        .allMatch(line -> line.contains("/cotenant-lightgbm"));
  }

  /** The file is read as LightGBM itself reads it. */
  @Test
  void lightGbmsTreesAnswerAsTheLibraryDoes() throws LGBMException {
    Sample train = Sample.of(200, 1);
    double[][] rows = new double[200][FEATURES];
    float[] labels = new float[200];
    for (int row = 0; row < rows.length; row++) {
      for (int i = 0; i < FEATURES; i++) {
        rows[row][i] = train.rows()[row][i];
      }
      labels[row] = (float) train.targets()[row];
    }
    String model = new LightGbm(new BoosterSettings(40, 4, 0.2)).train(rows, labels, 3);
    LightGbmTrees ours = LightGbmTrees.parse(model);

    try (var theirs = LGBMBooster.loadModelFromString(model)) {
      for (double[] row : rows) {
        double expected = theirs.predictForMatSingleRow(row, PredictionType.C_API_PREDICT_NORMAL);
        assertThat(ours.predict(row)).isCloseTo(expected, within(1e-9));
      }
    }
  }
}
