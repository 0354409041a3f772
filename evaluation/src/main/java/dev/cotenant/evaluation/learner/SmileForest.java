package dev.cotenant.evaluation.learner;

import dev.cotenant.learning.trees.Tree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import smile.data.DataFrame;
import smile.data.Tuple;
import smile.data.formula.Formula;
import smile.data.type.StructType;
import smile.data.vector.DoubleVector;
import smile.data.vector.ValueVector;
import smile.model.cart.InternalNode;
import smile.model.cart.Node;
import smile.model.cart.OrdinalNode;
import smile.model.cart.RegressionNode;
import smile.regression.RandomForest;
import smile.regression.RegressionTree;

/**
 * The seam to Smile, which grows the trees: bagging, a random choice of features at each split,
 * least squares. Every tree has a seed of its own, so that the result depends neither on the number
 * of threads nor on their timing.
 *
 * <p>Features that do not vary are left out: offered at a split they would only waste the draw.
 */
final class SmileForest {
  private static final String RESPONSE = "target";
  private static final double BOOTSTRAP = 1.0;

  /**
   * Smile 6 tries a split only at every hundredth of the rows unless this property says otherwise,
   * which stops trees at some 130 leaves and costs a fifth of the accuracy here. Up to 10 means
   * every row. It has no other door; only Smile reads it.
   */
  private static final String BINS_PROPERTY = "smile.regression_tree.bins";

  private final RandomForest forest;
  private final int[] columns;
  private final double outOfBagError;

  private SmileForest(RandomForest forest, int[] columns) {
    this.forest = forest;
    this.columns = columns;
    this.outOfBagError = forest.metrics().rmse();
  }

  /** Grows a forest on rows of which at least one feature varies. */
  static SmileForest grow(float[][] rows, double[] targets, ForestSettings settings, long seed) {
    int[] columns = varyingColumns(rows);
    if (columns.length == 0) {
      throw new IllegalArgumentException("no feature varies over " + rows.length + " rows");
    }
    System.setProperty(BINS_PROPERTY, "1");
    long[] seeds = new SplittableRandom(seed).longs(settings.trees(), 0, 1L << 31).toArray();
    RandomForest.Options options =
        new RandomForest.Options(
            settings.trees(),
            settings.featuresPerSplit(columns.length),
            ForestSettings.MAX_DEPTH,
            Math.max(2, rows.length),
            settings.leafRows(),
            BOOTSTRAP,
            seeds,
            null);
    return new SmileForest(
        RandomForest.fit(Formula.lhs(RESPONSE), frame(rows, targets, columns), options), columns);
  }

  static boolean canGrow(float[][] rows) {
    return varyingColumns(rows).length > 0;
  }

  private static int[] varyingColumns(float[][] rows) {
    return IntStream.range(0, rows[0].length)
        .filter(column -> Arrays.stream(rows).anyMatch(row -> row[column] != rows[0][column]))
        .toArray();
  }

  private static DataFrame frame(float[][] rows, double[] targets, int[] columns) {
    ValueVector[] vectors = new ValueVector[columns.length + 1];
    for (int i = 0; i < columns.length; i++) {
      int column = columns[i];
      vectors[i] = new DoubleVector("f" + column, column(rows, column));
    }
    vectors[columns.length] = new DoubleVector(RESPONSE, targets);
    return new DataFrame(vectors);
  }

  private static double[] column(float[][] rows, int column) {
    return Arrays.stream(rows).mapToDouble(row -> row[column]).toArray();
  }

  /** Root mean squared error in log space on the rows that each tree had not drawn. */
  double outOfBagError() {
    return outOfBagError;
  }

  /** Smile's own estimate, for comparison with {@link #trees}. */
  double predict(float[] vector) {
    double[] values = Arrays.stream(columns).mapToDouble(column -> vector[column]).toArray();
    return forest.predict(Tuple.of(forest.schema(), values));
  }

  /** The same trees, whose mean answers. */
  List<Tree> trees() {
    List<Tree> trees = new ArrayList<>();
    for (RegressionTree tree : forest.trees()) {
      trees.add(copied(tree.root(), new SplitProbe(tree.schema())));
    }
    return trees;
  }

  private Tree copied(Node node, SplitProbe probe) {
    return switch (node) {
      case RegressionNode leaf -> new Tree.Leaf((float) leaf.output());
      case OrdinalNode split ->
          new Tree.Split(
              columns[split.feature()],
              probe.threshold(split),
              copied(split.trueChild(), probe),
              copied(split.falseChild(), probe));
      default -> throw new IllegalStateException("unexpected node " + node.getClass());
    };
  }

  /**
   * Finds the threshold of a split, which Smile keeps to itself, by asking the split: the largest
   * float that goes left, by bisection over the floats in order. That is the exact threshold for
   * feature values that are floats.
   */
  private static final class SplitProbe implements Tuple {
    private static final long serialVersionUID = 1L;
    private final transient StructType schema;
    private double value;

    SplitProbe(StructType schema) {
      this.schema = schema;
    }

    float threshold(InternalNode split) {
      long left = ordinal(-Float.MAX_VALUE);
      long right = ordinal(Float.MAX_VALUE);
      while (right - left > 1) {
        long middle = Math.floorDiv(left + right, 2);
        value = ofOrdinal(middle);
        if (split.branch(this)) {
          left = middle;
        } else {
          right = middle;
        }
      }
      return ofOrdinal(left);
    }

    /** The place of a float among all floats in order; both zeros are 0. */
    private static long ordinal(float number) {
      int bits = Float.floatToRawIntBits(number);
      return bits >= 0 ? bits : -(long) (bits & Integer.MAX_VALUE);
    }

    private static float ofOrdinal(long ordinal) {
      float magnitude = Float.intBitsToFloat((int) Math.abs(ordinal));
      return ordinal >= 0 ? magnitude : -magnitude;
    }

    @Override
    public StructType schema() {
      return schema;
    }

    @Override
    public Object get(int index) {
      return value;
    }

    @Override
    public double getDouble(int index) {
      return value;
    }
  }
}
