package dev.cotenant.simulator.world;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Map;

/**
 * What a cluster is given with a job.
 *
 * @param name unique in a run
 * @param configuration what recurs: jobs of one configuration run alike
 * @param requestedMemory device memory that its owner requests
 * @param predictions by device; empty where the model is unknown
 */
public record Submission(
    String name,
    String configuration,
    MemorySize requestedMemory,
    Map<DeviceId, Prediction> predictions) {
  public Submission {
    predictions = Map.copyOf(predictions);
  }
}
