package dev.cotenant.evaluation.compare;

/** The errors of every learner on every draw. */
final class DrawScores {
  private final double[][] rmsle;
  private final double[][] meanPoints;

  DrawScores(int learners, int draws) {
    rmsle = new double[learners][draws];
    meanPoints = new double[learners][draws];
  }

  void put(int learner, int draw, Draw.Errors errors) {
    rmsle[learner][draw] = errors.rmsle();
    meanPoints[learner][draw] = errors.meanPoints();
  }

  /** One RMSLE a draw. */
  double[] rmsle(int learner) {
    return rmsle[learner].clone();
  }

  /** One mean absolute error a draw, in percentage points. */
  double[] meanPoints(int learner) {
    return meanPoints[learner].clone();
  }

  /** By how much a learner's RMSLE is below another's, draw by draw. */
  double[] gain(int learner, int over) {
    double[] gain = rmsle(over);
    for (int draw = 0; draw < gain.length; draw++) {
      gain[draw] -= rmsle[learner][draw];
    }
    return gain;
  }
}
