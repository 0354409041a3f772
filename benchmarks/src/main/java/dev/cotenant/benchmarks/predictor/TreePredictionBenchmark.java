package dev.cotenant.benchmarks.predictor;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import smile.data.DataFrame;
import smile.data.Tuple;
import smile.data.formula.Formula;
import smile.data.vector.DoubleVector;
import smile.data.vector.ValueVector;
import smile.regression.RandomForest;

/**
 * One row of 20 features through 200 trees that learned 1,000 rows, another row each time: ours
 * alone, ours with a second ensemble that gives the width of the bound, and a random forest of
 * Smile.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class TreePredictionBenchmark {
  private static final int LEARNED_ROWS = 1000;
  private static final int TREES = 200;
  private static final int DEPTH = 5;
  private static final double QUANTILE = 1.6;

  private BoostedTrees mean;
  private BoostedTrees width;
  private RandomForest forest;
  private float[][] rows;
  private Tuple[] tuples;
  private int next;

  @Setup
  public void prepare() {
    TreeRows learned = TreeRows.of(LEARNED_ROWS);
    rows = learned.rows();
    BoostingSettings settings = new BoostingSettings(TREES, DEPTH, 0.05, 0.7, 0.5, 3, 1);
    BoostingLearner learner = new BoostingLearner(rows);
    mean = learner.fit(learned.targets(), settings, 1);
    double[] misses = new double[rows.length];
    for (int row = 0; row < rows.length; row++) {
      misses[row] = Math.abs(mean.predict(rows[row]) - learned.targets()[row]);
    }
    width = learner.fit(misses, settings, 2);
    DataFrame frame = frame(learned);
    long[] seeds = new Random(1).longs(TREES, 0, 1L << 31).toArray();
    forest =
        RandomForest.fit(
            Formula.lhs("target"),
            frame,
            new RandomForest.Options(TREES, TreeRows.FEATURES / 3, 20, 500, 5, 1, seeds, null));
    tuples = new Tuple[rows.length];
    for (int row = 0; row < rows.length; row++) {
      tuples[row] = Tuple.of(forest.schema(), doubles(rows[row]));
    }
  }

  private static double[] doubles(float[] vector) {
    double[] values = new double[vector.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = vector[i];
    }
    return values;
  }

  private static DataFrame frame(TreeRows learned) {
    ValueVector[] columns = new ValueVector[TreeRows.FEATURES + 1];
    for (int feature = 0; feature < TreeRows.FEATURES; feature++) {
      double[] column = new double[learned.rows().length];
      for (int row = 0; row < column.length; row++) {
        column[row] = learned.rows()[row][feature];
      }
      columns[feature] = new DoubleVector("f" + feature, column);
    }
    columns[TreeRows.FEATURES] = new DoubleVector("target", learned.targets());
    return new DataFrame(columns);
  }

  private int row() {
    next = next + 1 < LEARNED_ROWS ? next + 1 : 0;
    return next;
  }

  @Benchmark
  public double boostedTrees() {
    return mean.predict(rows[row()]);
  }

  /** An estimate and its upper bound, each from 200 trees of its own. */
  @Benchmark
  public double boostedTreesWithBound() {
    float[] row = rows[row()];
    double estimate = mean.predict(row);
    return Math.min(Math.log1p(100), estimate + QUANTILE * (width.predict(row) + 0.03));
  }

  @Benchmark
  public double smileForest() {
    return forest.predict(tuples[row()]);
  }
}
