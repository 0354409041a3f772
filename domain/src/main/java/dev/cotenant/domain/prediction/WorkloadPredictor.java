package dev.cotenant.domain.prediction;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Port: predictions for registered models. Fast and free of I/O, so that it may be called on an
 * admission path.
 */
public interface WorkloadPredictor {

  /** Prediction for a model, or the reason for none. */
  sealed interface Outcome {
    /** One prediction per requested device. */
    record Predicted(Map<DeviceId, Prediction> byDevice) implements Outcome {
      public Predicted {
        byDevice = Map.copyOf(byDevice);
      }
    }

    /**
     * No description of the model is known.
     *
     * @param model as the workload names it
     * @param why where the model was searched and the remedy; null if no model has the name
     * @param isPending whether its description is being read, so that the answer changes soon
     */
    record UnknownModel(String model, @Nullable String why, boolean isPending) implements Outcome {
      /** No model is registered under this name. */
      public UnknownModel(String model) {
        this(model, null, false);
      }
    }
  }

  /** Predicts {@code workload} on each of {@code devices} with bounds at a requested level. */
  Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level);

  /**
   * Prediction for a workload of a namespace, with the namespace's own measurements where
   * available.
   */
  default Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    return predict(workload, devices, level);
  }

  /**
   * Whether a prediction takes microseconds; false where the amounts of its graph at this batch
   * have yet to be derived, which takes milliseconds.
   */
  default boolean isPrepared(Workload workload) {
    return true;
  }
}
