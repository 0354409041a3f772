package dev.cotenant.benchmarks.predictor;

import dev.cotenant.evaluation.compare.BoostedRegression;
import dev.cotenant.evaluation.compare.CrossValidated;
import dev.cotenant.evaluation.compare.ForestRegression;
import dev.cotenant.evaluation.compare.RegressionLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.predictor.model.Feature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Learning trees: one fit of 200 boosted trees to rows of 20 features on one thread, and a grid of
 * six settings searched by five-fold cross-validation with a last fit on everything. The same
 * search for a random forest of Smile, which takes all cores and as many features as its family
 * has.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 2)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class TreeLearningBenchmark {
  private static final int TREES = 200;

  @Param("5000")
  private int rows;

  private TreeRows learned;
  private RegressionLearner searched;
  private float[][] forestRows;

  @Setup
  public void prepare() {
    learned = TreeRows.of(rows);
    forestRows =
        Arrays.stream(learned.rows())
            .map(row -> Arrays.copyOf(row, Feature.values().length))
            .toArray(float[][]::new);
    List<RegressionLearner> grid = new ArrayList<>();
    for (int depth : new int[] {3, 4, 6}) {
      for (double rate : new double[] {0.05, 0.1}) {
        grid.add(new BoostedRegression(settings(depth, rate)));
      }
    }
    searched = new CrossValidated("searched", grid);
  }

  private static BoostingSettings settings(int depth, double rate) {
    return new BoostingSettings(TREES, depth, rate, 0.7, 0.5, 3, 1);
  }

  @Benchmark
  public RegressionLearner.Regression fit() {
    return new BoostedRegression(settings(5, 0.05)).fit(learned.rows(), learned.targets(), 1);
  }

  @Benchmark
  public RegressionLearner.Regression searchAndFit() {
    return searched.fit(learned.rows(), learned.targets(), 1);
  }

  @Benchmark
  public RegressionLearner.Regression searchAndFitForest() {
    return ForestRegression.searched(TREES).fit(forestRows, learned.targets(), 1);
  }
}
