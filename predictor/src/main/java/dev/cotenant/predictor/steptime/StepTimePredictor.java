package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;

/**
 * Predicts the wall time of a step on any device of a catalogue, from the graph alone. Immutable,
 * thread safe, free of I/O.
 */
public final class StepTimePredictor {
  /** Each bound as a factor of the mean; 9 of 10 families left out are within. */
  private static final double BOUND = 1.5;

  private static final Coverage COVERAGE = Coverage.of(0.9);

  /** The shortest step that is told apart from none. */
  private static final double LEAST_SECONDS = 1e-6;

  private final StepTimeFormula formula;

  private StepTimePredictor(StepTimeFormula formula) {
    this.formula = formula;
  }

  /** The predictor that the project ships. */
  public static StepTimePredictor builtIn() {
    return new StepTimePredictor(StepTimeFormula.typical());
  }

  /**
   * A predicted step.
   *
   * @param parts device and host time behind the mean
   */
  public record Predicted(StepTime parts, StepTimeEstimate estimate) {}

  /** One step of a model alone on a whole device. */
  public Predicted predict(ModelFeatures model, RunSettings settings, Device device) {
    return predict(StepWork.of(model), settings, DevicePart.whole(device));
  }

  /** One step alone on a part of a device. */
  public Predicted predict(StepWork work, RunSettings settings, DevicePart part) {
    StepTime parts = formula.of(work, settings, part);
    double mean = Math.max(LEAST_SECONDS, parts.seconds());
    return new Predicted(parts, new StepTimeEstimate(mean, mean / BOUND, mean * BOUND, COVERAGE));
  }
}
