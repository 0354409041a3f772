package dev.cotenant.evaluation.learner;

import dev.cotenant.domain.InputException;
import dev.cotenant.learning.trees.BinnedForest;
import dev.cotenant.learning.trees.TreeLearner;
import dev.cotenant.predictor.train.ResidualBoosting;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Every learner that {@code train} offers. */
public final class Learners {
  private static final ForestSettings FOREST = new ForestSettings(64, 0.5, 5);

  /** Lambdas load a library with its first use: an image has none. */
  private static final List<TreeLearner> ALL =
      List.of(
          new ResidualBoosting(),
          ForestLearner.of(FOREST),
          new BinnedForest(
              "tribuo-cart", (bins, w, y, seed) -> TribuoForest.CART.grow(bins, w, y, seed)),
          new BinnedForest(
              "tribuo-random-forest",
              (bins, w, y, seed) -> TribuoForest.RANDOM_FOREST.grow(bins, w, y, seed)));

  private Learners() {}

  /** All, the shipped predictor's first. */
  public static List<TreeLearner> all() {
    return ALL;
  }

  /** Those whose libraries are on the class path. */
  public static List<TreeLearner> installed() {
    return ALL.stream().filter(learner -> whyNot(learner) == null).toList();
  }

  /**
   * The learner of a name.
   *
   * @throws InputException ({@code unknown-learner}) that lists the names; ({@code
   *     learner-not-installed}) when its library is not on the class path
   */
  public static TreeLearner require(String name) {
    for (TreeLearner learner : ALL) {
      if (learner.name().equals(name)) {
        LinkageError missing = whyNot(learner);
        if (missing != null) {
          throw notInstalled(learner, missing);
        }
        return learner;
      }
    }
    throw InputException.unknown("learner", name, ALL.stream().map(TreeLearner::name).toList());
  }

  /**
   * How to train with the learner of a name.
   *
   * @throws InputException as {@link #require}
   */
  public static TrainingSettings settings(String learner, long seed) {
    return TrainingSettings.standard(seed).withLearner(require(learner));
  }

  /** Null where its library is there. */
  private static @Nullable LinkageError whyNot(TreeLearner learner) {
    try {
      learner.fit(new float[][] {{0}, {1}}, new double[] {1, 1}, new double[] {0, 1}, 1);
      return null;
    } catch (LinkageError e) {
      return e;
    }
  }

  private static InputException notInstalled(TreeLearner learner, LinkageError missing) {
    return new InputException(
        InputException.Kind.NOT_FOUND,
        "learner-not-installed",
        "The learner "
            + learner.name()
            + " needs a library that this installation lacks ("
            + missing.getMessage()
            + "): train with ./cotenant of the sources; images do not contain it.",
        missing);
  }
}
