package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;

/**
 * Port: adjusts the prediction of a workload by knowledge beyond its model. Fast and free of I/O,
 * as {@link WorkloadPredictor} is.
 */
@FunctionalInterface
public interface PredictionAdjustment {
  /**
   * The adjusted prediction, or the same object.
   *
   * @param namespace of the workload; empty where it has none
   * @param prediction on one device, after earlier adjustments
   * @param level of its bounds
   */
  Prediction adjust(String namespace, Workload workload, Prediction prediction, Coverage level);
}
