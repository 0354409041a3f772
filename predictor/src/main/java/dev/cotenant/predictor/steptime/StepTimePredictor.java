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

  /** One step of a model alone on a whole device, with bounds at the standard level. */
  public Predicted predict(ModelFeatures model, RunSettings settings, Device device) {
    return predict(StepWork.of(model), settings, DevicePart.whole(device), Coverage.STANDARD);
  }

  /**
   * One step alone on a part of a device.
   *
   * @param level requested coverage of each bound; the estimate states the one it has
   */
  public Predicted predict(StepWork work, RunSettings settings, DevicePart part, Coverage level) {
    StepTime parts = formula.of(work, settings, part);
    double mean = Math.max(LEAST_SECONDS, parts.seconds());
    return new Predicted(parts, StepTimeBounds.of(mean, level));
  }
}
