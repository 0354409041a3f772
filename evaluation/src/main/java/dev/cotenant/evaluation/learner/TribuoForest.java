package dev.cotenant.evaluation.learner;

import dev.cotenant.learning.trees.BinnedForest;
import dev.cotenant.learning.trees.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.tribuo.Model;
import org.tribuo.MutableDataset;
import org.tribuo.common.tree.LeafNode;
import org.tribuo.common.tree.Node;
import org.tribuo.common.tree.RandomForestTrainer;
import org.tribuo.common.tree.SplitNode;
import org.tribuo.common.tree.TreeModel;
import org.tribuo.ensemble.BaggingTrainer;
import org.tribuo.ensemble.EnsembleModel;
import org.tribuo.regression.Regressor;
import org.tribuo.regression.ensemble.AveragingCombiner;
import org.tribuo.regression.rtree.CARTJointRegressionTrainer;
import org.tribuo.regression.rtree.impurity.MeanSquaredError;

/** Tribuo's learners whose models are trees: least squares on weighted rows. */
enum TribuoForest implements BinnedForest.Grower {
  /** One tree [Breiman et al., "Classification and Regression Trees", 1984]. */
  CART,
  /** Bagging, and a random choice of features at each split [Breiman, 2001]. */
  RANDOM_FOREST;

  /**
   * Every training logs its progress; a static reference, since loggers without one lose their
   * level.
   */
  private static final Logger LOGGER = Logger.getLogger(BaggingTrainer.class.getName());

  static {
    LOGGER.setLevel(Level.WARNING);
  }

  private static final int TREES = 32;
  private static final int MAX_DEPTH = 12;
  private static final float LEAF_WEIGHT = 5;
  private static final float FEATURE_SHARE = 0.34f;

  /** Tribuo sums all rows for each value of a feature: time grows with the number of values. */
  private static final int MAX_VALUES = 32;

  @Override
  public List<Tree> grow(float[][] bins, double[] weights, double[] targets, long seed) {
    int[] joined = joined(bins);
    float[][] coarse = new float[bins.length][joined.length];
    for (int row = 0; row < bins.length; row++) {
      for (int feature = 0; feature < joined.length; feature++) {
        int value = (int) bins[row][feature] / joined[feature];
        coarse[row][feature] = value;
      }
    }
    TribuoRows rows = new TribuoRows(joined.length);
    return trees(train(rows.dataset(coarse, weights, targets), seed)).stream()
        .map(tree -> onBins(tree, joined))
        .toList();
  }

  /** By feature how many neighbouring bins are one value. */
  private static int[] joined(float[][] bins) {
    int[] joined = new int[bins[0].length];
    for (int feature = 0; feature < joined.length; feature++) {
      float last = 0;
      for (float[] row : bins) {
        last = Math.max(last, row[feature]);
      }
      joined[feature] = Math.ceilDiv((int) last + 1, MAX_VALUES);
    }
    return joined;
  }

  private static Tree onBins(Tree tree, int... joined) {
    return switch (tree) {
      case Tree.Leaf leaf -> leaf;
      case Tree.Split(int feature, float threshold, Tree low, Tree high) -> {
        float bin = ((int) Math.floor(threshold) + 1) * joined[feature] - 1;
        yield new Tree.Split(feature, bin, onBins(low, joined), onBins(high, joined));
      }
    };
  }

  /** The library's own model. */
  Model<Regressor> train(MutableDataset<Regressor> data, long seed) {
    CARTJointRegressionTrainer tree =
        new CARTJointRegressionTrainer(
            MAX_DEPTH,
            LEAF_WEIGHT,
            0,
            this == CART ? 1 : FEATURE_SHARE,
            false,
            new MeanSquaredError(),
            false,
            seed);
    return switch (this) {
      case CART -> tree.train(data);
      case RANDOM_FOREST ->
          new RandomForestTrainer<>(tree, new AveragingCombiner(), TREES, seed).train(data);
    };
  }

  /** The trees of a model, whose mean is its answer. */
  static List<Tree> trees(Model<Regressor> model) {
    return switch (model) {
      case EnsembleModel<Regressor> ensemble -> {
        List<Tree> trees = new ArrayList<>();
        ensemble.getModels().forEach(member -> trees.addAll(trees(member)));
        yield trees;
      }
      case TreeModel<Regressor> tree -> List.of(copied(tree.getRoot()));
      default -> throw new IllegalStateException("unexpected model " + model.getClass());
    };
  }

  /** Features are numbered by their names, which sort as the columns do. */
  private static Tree copied(Node<Regressor> node) {
    return switch (node) {
      case SplitNode<Regressor> split ->
          new Tree.Split(
              split.getFeatureID(),
              (float) split.splitValue(),
              copied(split.getLessThanOrEqual()),
              copied(split.getGreaterThan()));
      case LeafNode<Regressor> leaf -> new Tree.Leaf((float) leaf.getOutput().getValues()[0]);
      default -> throw new IllegalStateException("unexpected node " + node.getClass());
    };
  }
}
