package dev.cotenant.evaluation.compare;

/**
 * Learns a function from vectors to a number; what learners of several libraries have in common.
 */
public interface RegressionLearner {
  /** A learned function. Thread safe. */
  interface Regression {
    /** Prediction for a vector of the trained length. */
    double predict(float[] vector);
  }

  /** The name in evaluation tables, such as {@code xgboost}. */
  String name();

  /**
   * Learns from rows; the same rows and seed give the same function.
   *
   * @param rows at least one vector; all of one length, all values finite
   * @param targets target values, finite
   */
  Regression fit(float[][] rows, double[] targets, long seed);
}
