package dev.cotenant.domain.prediction;

import java.util.Comparator;

/** Orders of predictions. */
public final class Predictions {
  /** The shortest step first; without a step time last, then by device. */
  public static final Comparator<Prediction> BY_STEP_TIME =
      Comparator.comparingDouble(Predictions::stepSeconds).thenComparing(Prediction::device);

  private Predictions() {}

  private static double stepSeconds(Prediction prediction) {
    return prediction
        .stepTimeIfKnown()
        .map(StepTimeEstimate::meanSeconds)
        .orElse(Double.POSITIVE_INFINITY);
  }
}
