package dev.cotenant.evaluation.compare;

import dev.cotenant.predictor.model.Feature;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Separates learners that run on this machine from those whose native library does not load. */
final class NativeLibraries {
  /** As wide as a vector of features; few enough that a trial takes milliseconds. */
  private static final float[][] ROWS = new float[8][Feature.values().length];

  private static final double[] TARGETS = new double[ROWS.length];

  static {
    for (int row = 0; row < ROWS.length; row++) {
      ROWS[row][0] = row;
      TARGETS[row] = row;
    }
  }

  private NativeLibraries() {}

  /**
   * Learners that can learn eight rows; notes name the missing libraries of unusable ones.
   *
   * @param notes hears the lines
   */
  static List<RegressionLearner> usable(List<RegressionLearner> learners, Consumer<String> notes) {
    List<RegressionLearner> usable = new ArrayList<>();
    for (RegressionLearner learner : learners) {
      try {
        learner.fit(ROWS, TARGETS, 1).predict(ROWS[0]);
        usable.add(learner);
      } catch (LinkageError e) {
        notes.accept(
            learner.name()
                + " is left out: its native library does not load here ("
                + reason(e)
                + "); XGBoost and LightGBM need libgomp (Debian: apt-get install libgomp1).");
      }
    }
    return usable;
  }

  private static String reason(LinkageError error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = Objects.requireNonNullElse(root.getMessage(), root.getClass().getName());
    return message.lines().findFirst().orElse(message);
  }
}
