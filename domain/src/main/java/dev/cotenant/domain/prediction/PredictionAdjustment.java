package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;

/**
 * Port: changes the prediction of a workload by what is known of it beside its model. Fast and free
 * of I/O, as {@link WorkloadPredictor} is.
 */
@FunctionalInterface
public interface PredictionAdjustment {
  /**
   * The prediction with the change, or as it is.
   *
   * @param namespace of the workload; empty where it has none
   * @param prediction on one device, with the adjustments before this one
   * @param level of its bounds
   */
  Prediction adjust(String namespace, Workload workload, Prediction prediction, Coverage level);
}
