package dev.cotenant.evaluation.compare;

/**
 * Learns a function from vectors to a number; what learners of several libraries have in common.
 */
public interface RegressionLearner {
  /** A learned function. Thread safe. */
  interface Regression {
    /** The answer for a vector of the length that was learned from. */
    double predict(float[] vector);
  }

  /** The name in evaluation tables, such as {@code xgboost}. */
  String name();

  /**
   * Learns from rows; the same rows and seed give the same function.
   *
   * @param rows at least one vector; all of one length, all values finite
   * @param targets what to answer for each, finite
   */
  Regression fit(float[][] rows, double[] targets, long seed);
}
