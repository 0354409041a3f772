package dev.cotenant.service.decisions;

import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts predictions by how they ended. */
public final class PredictionCounter {
  private static final String NAME = "cotenant.predictions";
  private static final String OUTCOME = "outcome";

  private final Counter predicted;
  private final Counter unknownModel;

  public PredictionCounter(MeterRegistry meters) {
    predicted = meters.counter(NAME, OUTCOME, "predicted");
    unknownModel = meters.counter(NAME, OUTCOME, "unknown_model");
  }

  /** Counts a prediction by outcome. */
  public void count(Outcome outcome) {
    switch (outcome) {
      case Outcome.Predicted _ -> predicted();
      case Outcome.UnknownModel _ -> unknownModel();
    }
  }

  public void predicted() {
    predicted.increment();
  }

  public void unknownModel() {
    unknownModel.increment();
  }
}
