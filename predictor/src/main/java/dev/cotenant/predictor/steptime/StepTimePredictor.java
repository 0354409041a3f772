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
  /** The shortest step that differs from none. */
  private static final double MIN_SECONDS = 1e-6;

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

  /**
   * One step of a model alone on a whole device.
   *
   * @param level requested coverage of each bound; the estimate states its actual coverage
   */
  public Predicted predict(
      ModelFeatures model, RunSettings settings, Device device, Coverage level) {
    boolean hasOperators = !model.eager().equals(model.ofLayers().eager());
    return predict(StepWork.of(model), settings, DevicePart.whole(device))
        .at(StepTimeBounds.of(settings, hasOperators), level);
  }

  /** One step alone on a part of a device. */
  public Unbounded predict(StepWork work, RunSettings settings, DevicePart part) {
    return new Unbounded(formula.of(work, settings, part));
  }

  /** A predicted step without bounds. */
  public record Unbounded(StepTime parts) {
    /** The estimate with bounds at a level. */
    public Predicted at(StepTimeBounds bounds, Coverage level) {
      double mean = Math.max(MIN_SECONDS, parts.seconds());
      return new Predicted(parts, bounds.of(mean, level));
    }
  }
}
