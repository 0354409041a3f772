package dev.cotenant.evaluation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.learning.trees.BoostingSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CrossValidatedTest {
  /** Answers a factor times the only feature; hears how many rows it was given. */
  private record Factor(double factor, List<Integer> heard) implements RegressionLearner {
    @Override
    public String name() {
      return "factor " + factor;
    }

    @Override
    public Regression fit(float[][] rows, double[] targets, long seed) {
      heard.add(rows.length);
      return vector -> factor * vector[0];
    }
  }

  private static float[][] rows(int count) {
    float[][] rows = new float[count][1];
    for (int row = 0; row < count; row++) {
      rows[row][0] = row;
    }
    return rows;
  }

  private static double[] doubled(int count) {
    double[] targets = new double[count];
    for (int row = 0; row < count; row++) {
      targets[row] = 2 * row;
    }
    return targets;
  }

  @Test
  void takesTheCandidateOfLeastErrorAndLearnsFromAllRows() {
    List<Integer> heard = new ArrayList<>();
    List<Factor> grid = List.of(new Factor(1, heard), new Factor(2.1, heard), new Factor(4, heard));
    RegressionLearner searched = new CrossValidated("any", grid);

    assertThat(searched.fit(rows(20), doubled(20), 1).predict(new float[] {10})).isEqualTo(21);
    // Three candidates on five folds of 16 rows, then the best on all 20.
    assertThat(heard).hasSize(16).endsWith(20).containsOnly(16, 20);
    assertThat(searched.name()).isEqualTo("any");
  }

  @Test
  void takesTheFirstOfEquals() {
    Factor first = new Factor(2, new ArrayList<>());
    CrossValidated searched =
        new CrossValidated("any", List.of(first, new Factor(2, new ArrayList<>())));

    assertThat(searched.choose(rows(10), doubled(10), 1)).isSameAs(first);
    assertThat(searched.choose(rows(1), doubled(1), 1)).isSameAs(first);
  }

  @Test
  void refusesAnEmptyGrid() {
    assertThatIllegalArgumentException().isThrownBy(() -> new CrossValidated("any", List.of()));
  }

  @Test
  void forestsAndBoostedTreesLearnALineFromVectors() {
    Random random = new Random(1);
    float[][] rows = new float[400][12];
    double[] targets = new double[rows.length];
    for (int row = 0; row < rows.length; row++) {
      rows[row][3] = random.nextFloat();
      rows[row][5] = random.nextFloat();
      targets[row] = 5 + rows[row][3];
    }
    BoostingSettings settings = new BoostingSettings(100, 3, 0.1, 0.8, 1, 3, 1);
    for (RegressionLearner learner :
        List.of(ForestRegression.searched(20), new BoostedRegression(settings))) {
      RegressionLearner.Regression learned = learner.fit(rows, targets, 1);
      for (float[] row : rows) {
        assertThat(learned.predict(row)).isCloseTo(5 + row[3], within(0.15));
      }
    }
  }
}
